// SPDX-License-Identifier: GPL-2.0-or-later
// Compression of whole buffers. The one door to zlib.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace op {

/// `bytes` as one gzip member.
std::string gzip(std::string_view bytes);
/// The inverse; reads concatenated members. Throws an input error naming `label` on damaged data or if the
/// result would exceed `limit` bytes.
std::string gunzip(std::string_view bytes, std::string_view label, size_t limit = 256 << 20);

}  // namespace op
