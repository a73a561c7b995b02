// SPDX-License-Identifier: GPL-2.0-or-later
// Decompression of files such as kernel modules. The one door to liblzma and libzstd.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace op {

/// The content of an .xz file; concatenated streams are joined. Throws an input error naming `label` if the
/// data is damaged, the result exceeds `limit` bytes, or decompression needs more than 256 MiB of memory.
std::string unxz(std::string_view bytes, std::string_view label, size_t limit = 256 << 20);

/// The content of a .zst file; concatenated frames are joined. Throws like unxz.
std::string unzstd(std::string_view bytes, std::string_view label, size_t limit = 256 << 20);

}  // namespace op
