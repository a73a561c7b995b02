// SPDX-License-Identifier: GPL-2.0-or-later
// Bytes as one line of UTF-8 text, and back.
#pragma once

#include <string>
#include <string_view>

namespace op {

/// The bytes with %XX for '%', ASCII control characters and what is no UTF-8.
std::string percent_escaped(std::string_view bytes);
/// The text with the byte for each %XX; a '%' without two hexadecimal digits is itself.
std::string percent_unescaped(std::string_view text);

}  // namespace op
