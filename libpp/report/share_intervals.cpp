// SPDX-License-Identifier: GPL-2.0-or-later
// The intervals of the shares in a report.
#include "libpp/report/share_intervals.h"

#include <cstdio>
#include <cstdlib>

#include "libpp/profile/percent.h"

namespace op::pp {

Part taken_part(const ReportHead& head, size_t column, uint64_t count, uint64_t base) {
    const double weight = column < head.weights.size() ? head.weights[column] : 1;
    return {static_cast<double>(count) / weight, static_cast<double>(base) / weight};
}

Interval percent_interval(const ReportHead& head, size_t column, uint64_t count, uint64_t base) {
    const Interval shares = share_interval(taken_part(head, column, count, base));
    return {100 * shares.low, 100 * shares.high};
}

std::vector<Interval> percent_intervals(const ReportHead& head, const uint64_t* counts,
                                        const uint64_t* bases) {
    std::vector<Interval> intervals;
    for (size_t column = 0; column < head.columns.size(); ++column)
        intervals.push_back(percent_interval(head, column, counts[column], bases[column]));
    return intervals;
}

double rounded(double number) {
    char text[64];
    std::snprintf(text, sizeof text, "%.6g", number);
    return std::strtod(text, nullptr);
}

std::string interval_text(const ReportHead& head, size_t column, uint64_t count, uint64_t base) {
    const std::string width = format_percent(percent_interval(head, column, count, base).half_width());
    return interval_title + width.substr(width.find_first_not_of(' '));
}

}  // namespace op::pp
