// SPDX-License-Identifier: GPL-2.0-or-later
// ELF files of either class and byte order, through libelf.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "libop/base/object_file.h"

namespace op {

/// Reads an ELF file from memory. `bytes` must outlive the object. Throws an input error naming `label` if it
/// is not an ELF file. Sections and symbols with impossible sizes are left out.
std::unique_ptr<ObjectFile> open_elf(std::span<const std::byte> bytes, std::string_view label);

}  // namespace op
