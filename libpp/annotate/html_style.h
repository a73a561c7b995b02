// SPDX-License-Identifier: GPL-2.0-or-later
// The style of annotated sources in a browser.
#pragma once

#include <string>

namespace op::pp {

/// Heat has this many steps, classes h1 to h10; the hottest line has the last.
inline constexpr int heat_steps = 10;

/// The style sheet of the page: dark where the reader prefers that; heads stay in sight; a checkbox #near
/// hides bodies of class far and shows rows of class skip in their place.
std::string html_style();

}  // namespace op::pp
