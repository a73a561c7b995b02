// SPDX-License-Identifier: GPL-2.0-or-later
// The GNU build-id of an ELF file or of a block of ELF notes (gABI, "Note Section"; note type 3 of owner
// "GNU"). Reads only what that takes; everything else of ELF is libpp's.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace op {

/// The build-id in a block of notes in host byte order, as lower-case hex; empty if there is none or the
/// notes are damaged.
std::string build_id_of_notes(std::span<const std::byte> notes);
/// The build-id of an ELF file of this machine's byte order, found through its program headers; empty if it
/// has none, is damaged or is no such file.
std::string build_id_of_elf(std::span<const std::byte> file);
/// The same for the file at `path`; empty also if it cannot be read.
std::string build_id_of_file(const std::string& path);

}  // namespace op
