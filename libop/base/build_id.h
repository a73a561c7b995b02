// SPDX-License-Identifier: GPL-2.0-or-later
// The GNU build-id of an ELF file or of a block of ELF notes (gABI, "Note Section"; note type 3 of owner
// "GNU"), as elf_notes.h finds it.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "libop/base/fd.h"

namespace op {

/// The build-id in a block of notes in host byte order (`swapped`: in the other one), as lower-case hex;
/// empty if the first notes_limit bytes (elf_notes.h) hold no build-id or the notes are damaged.
std::string build_id_of_notes(std::span<const std::byte> notes, bool swapped = false);
/// The build-id of an ELF file of this machine's byte order, found through its program headers. Empty if the
/// first segments hold no build-id, if the file is damaged, or if it is not such a file.
std::string build_id_of_elf(std::span<const std::byte> file);
/// The same for the file at `path`; also empty if it is not a regular file or cannot be read. Reads a few
/// KiB. The file may change or shrink during the call.
std::string build_id_of_file(const std::string& path);
/// The same for an open file, whose offset stays as it is.
std::string build_id_of_fd(const Fd& file);

}  // namespace op
