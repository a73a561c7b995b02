// SPDX-License-Identifier: GPL-2.0-or-later
// The intervals of the shares in a report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "libpp/profile/statistics.h"
#include "libpp/report/report.h"

namespace op::pp {

/// Samples as they were taken, before they were scaled.
Part taken_part(const ReportHead& head, size_t column, uint64_t count, uint64_t base);

/// The interval of the share that a count in a column is of its base: percent.
Interval percent_interval(const ReportHead& head, size_t column, uint64_t count, uint64_t base);

/// The same for a row with one count and one base per column.
std::vector<Interval> percent_intervals(const ReportHead& head, const uint64_t* counts,
                                        const uint64_t* bases);

/// The number to six significant digits: further ones differ between processors, and mean nothing.
double rounded(double number);

/// Half the width of that interval as text reports have it: "\u00b10.5512".
std::string interval_text(const ReportHead& head, size_t column, uint64_t count, uint64_t base);
/// Columns of a cell with such a text, and the blank behind it.
inline constexpr size_t interval_width = 9;
/// The head of the column with these texts.
inline constexpr const char* interval_title = "\u00b1";

}  // namespace op::pp
