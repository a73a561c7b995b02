// SPDX-License-Identifier: GPL-2.0-or-later
// Addresses for the sections of a relocatable file (a kernel module), which has none. Behind the door to
// elfutils.
#pragma once

#include <libelf.h>

#include <cstdint>
#include <vector>

namespace op {

/// An address for every loaded section, by section index, from relocatable_base up; 0 for the others. Code
/// comes first, in the file's order, each section aligned as it says: so the kernel's module loader places it
/// (layout_sections(), "init" sections apart), and a file and its debug file, which have the same sections,
/// agree.
std::vector<uint64_t> relocatable_layout(Elf* elf);

}  // namespace op
