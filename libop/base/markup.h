// SPDX-License-Identifier: GPL-2.0-or-later
// Text from foreign files as text of XML and HTML.
#pragma once

#include <string>
#include <string_view>

namespace op {

/// Any bytes as the text of an element or a quoted attribute: & < > " are escaped; bytes that are not UTF-8
/// and characters that XML 1.0 (section 2.2) forbids become U+FFFD; other characters that a terminal may
/// obey (libop/base/text.h, printable) become '?', except tabs.
std::string markup_text(std::string_view text);

}  // namespace op
