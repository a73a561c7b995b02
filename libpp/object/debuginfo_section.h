// SPDX-License-Identifier: GPL-2.0-or-later
// The content of a section of debug information.
#pragma once

#include <libelf.h>

#include <cstddef>
#include <span>
#include <string_view>

namespace op::pp {

/// The content, unpacked, of the first section of that name that has content; empty if no section has, or it
/// cannot be unpacked. Valid as long as `elf`.
std::span<const std::byte> section_content(Elf* elf, std::string_view wanted);

}  // namespace op::pp
