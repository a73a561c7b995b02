// SPDX-License-Identifier: GPL-2.0-or-later
// Text from foreign files as text of XML and HTML.
#pragma once

#include <string>
#include <string_view>

namespace op {

/// The text as it may stand in an element or a quoted attribute, whatever its bytes: & < > " are escaped,
/// what is not UTF-8 or no character of XML 1.0 (section 2.2) becomes U+FFFD, control characters, also U+0080
/// to U+009F, become '?'. Tabs stay.
std::string markup_text(std::string_view text);

}  // namespace op
