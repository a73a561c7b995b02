// SPDX-License-Identifier: GPL-2.0-or-later
// The format of shares in text reports.
#pragma once

#include <cstdint>
#include <string>

namespace op::pp {

/// count as a percentage of total; 0 if total is 0.
double percent_of(uint64_t count, uint64_t total);

/// A percentage, right-justified in 7 columns: "      0" for nothing, four decimals above 0.001, scientific
/// with one decimal below, and "100.000", so that it never grows wider.
std::string format_percent(double percent);

}  // namespace op::pp
