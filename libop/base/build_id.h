// SPDX-License-Identifier: GPL-2.0-or-later
// The GNU build-id of an ELF file or of a block of ELF notes (gABI, "Note Section"; note type 3 of owner
// "GNU"). Reads only the notes, not the rest of the ELF file.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace op {

/// Bytes of a block of notes that are looked at, so that a file cannot make the search long.
inline constexpr size_t notes_limit = 16 * 1024;

/// The build-id in a block of notes in host byte order (`swapped`: in the other one), as lower-case hex;
/// empty if the first notes_limit bytes hold no build-id or the notes are damaged.
std::string build_id_of_notes(std::span<const std::byte> notes, bool swapped = false);
/// The build-id of an ELF file of this machine's byte order, found through its program headers; empty if it
/// has none among its first segments, is damaged or is no such file.
std::string build_id_of_elf(std::span<const std::byte> file);
/// The same for the file at `path`; empty also if it is no regular file or cannot be read. Reads a few KiB;
/// what others do to the file meanwhile does no harm.
std::string build_id_of_file(const std::string& path);

}  // namespace op
