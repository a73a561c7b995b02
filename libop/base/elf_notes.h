// SPDX-License-Identifier: GPL-2.0-or-later
// One note of an ELF file or of a block of ELF notes (gABI, "Note Section"), by owner and type. Reads only
// the notes, not the rest of the ELF file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "libop/base/fd.h"

namespace op {

/// The search reads at most this many bytes of a block of notes, so that no file can make it long.
inline constexpr size_t notes_limit = 16 * 1024;

/// Which note is wanted.
struct NoteKind {
    std::string_view owner;  ///< without the NUL at its end
    uint32_t type;
    size_t most_bytes;  ///< a note with more content is not it
};

/// The content of the first such note in a block of notes in host byte order (`swapped`: in the other one).
/// Empty if the first notes_limit bytes hold none with content, or the notes before it are damaged.
std::vector<std::byte> find_note(std::span<const std::byte> notes, const NoteKind& kind,
                                 bool swapped = false);
/// That of an ELF file of this machine's byte order, found through its program headers. Empty if the first
/// segments hold none, if the file is damaged, or if it is not such a file.
std::vector<std::byte> find_note_in_elf(std::span<const std::byte> file, const NoteKind& kind);
/// The same for an open file, whose offset stays as it is. Reads a few KiB, and less than 300 of any file.
/// The file may change or shrink during the call.
std::vector<std::byte> find_note_in_fd(const Fd& file, const NoteKind& kind);

}  // namespace op
