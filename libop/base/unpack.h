// SPDX-License-Identifier: GPL-2.0-or-later
// Unpacking of files that others compressed, such as kernel modules. The one door to liblzma and libzstd.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace op {

/// What an .xz file holds; concatenated streams are joined. Throws an input error naming `label` on damaged
/// data, if the result would exceed `limit` bytes or if unpacking took more than 256 MiB of memory.
std::string unxz(std::string_view bytes, std::string_view label, size_t limit = 256 << 20);

/// What a .zst file holds; concatenated frames are joined. Throws like unxz.
std::string unzstd(std::string_view bytes, std::string_view label, size_t limit = 256 << 20);

}  // namespace op
