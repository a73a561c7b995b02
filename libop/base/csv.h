// SPDX-License-Identifier: GPL-2.0-or-later
// Cells of comma-separated values. Quoting: RFC 4180, section 2.
#pragma once

#include <string>
#include <string_view>

namespace op {

/// A text as a cell: in one line, safe for a terminal, and quoted where it has to be. A spreadsheet would run
/// a text that begins like a formula; it begins with an apostrophe.
std::string csv_cell(std::string_view text);

}  // namespace op
