// SPDX-License-Identifier: GPL-2.0-or-later
// Showing long texts to people, as git does.
#pragma once

#include <string_view>

namespace op::tool {

/// Shows the text on stdout, which is a terminal, through the pager: OPROFILE_PAGER, else PAGER, else less
/// (with LESS=FRX if that is not set); words at blanks, no shell. An empty one, "cat" or one that cannot be
/// started: the text is just written. Returns when the person has seen enough. Throws a system error if
/// stdout cannot be written.
void show_through_pager(std::string_view text);

}  // namespace op::tool
