// SPDX-License-Identifier: GPL-2.0-or-later
// Bytes as text that ends no element of HTML (RFC 4648, section 4).
#pragma once

#include <string>
#include <string_view>

namespace op::pp {

std::string base64(std::string_view bytes);

}  // namespace op::pp
