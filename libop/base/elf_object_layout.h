// SPDX-License-Identifier: GPL-2.0-or-later
// Addresses for the sections of a relocatable file (a kernel module), which has none. Behind the door to
// elfutils.
#pragma once

#include <libelf.h>

#include <cstdint>
#include <vector>

namespace op {

/// An address for every loaded section, by section index, from relocatable_base up; 0 for the others. Code
/// comes first, in the file's order, each section with its own alignment. The kernel's module loader uses the
/// same order (layout_sections(), except for "init" sections). A file and its debug file have the same
/// sections, so they get the same addresses.
std::vector<uint64_t> relocatable_layout(Elf* elf);

}  // namespace op
