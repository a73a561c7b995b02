// SPDX-License-Identifier: GPL-2.0-or-later
// Numbers of the ELF specification (gABI), and what marks a file as ours.
#pragma once

#include <cstdint>
#include <string_view>

namespace op::jo_elf {

inline constexpr std::string_view magic("\177ELF", 4);
inline constexpr unsigned class_32 = 1, class_64 = 2, little_endian = 1, big_endian = 2;
inline constexpr unsigned type_executable = 2;
enum SectionType : uint32_t { progbits = 1, symtab = 2, strtab = 3, note = 7, nobits = 8 };
inline constexpr unsigned flag_alloc = 2, flag_execinstr = 4;
inline constexpr unsigned global_function = 1 << 4 | 2, type_mask = 15, type_function = 2;

/// The note that marks it: its section, name and type. Its content is a version and a zero, 4 bytes each,
/// then the address and size of each contested range, 8 bytes each.
inline constexpr std::string_view note_section = ".note.oprofile-ng", note_name("oprofile-ng\0", 12);
inline constexpr uint32_t note_type = 1, note_version = 1;

}  // namespace op::jo_elf
