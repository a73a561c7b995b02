// SPDX-License-Identifier: GPL-2.0-or-later
// Samples as text reports and Markdown show them.
#include "libpp/report/count_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "libop/events/event_table.h"

namespace op::pp {

double sample_milliseconds(const ReportHead& head, size_t column) {
    const ProfileClass& shown = head.columns[column];
    return static_cast<double>(sample_time(shown.event, shown.count)) * 1e-6;
}

int millisecond_digits(double each) {
    if (each == std::floor(each)) return 0;
    return each >= 0.1 ? 1 : std::min(3, static_cast<int>(std::ceil(-std::log10(each))));
}

std::string count_text(const ReportHead& head, size_t column, uint64_t count) {
    if (!head.shows_time) return std::to_string(count);
    const double each = sample_milliseconds(head, column);
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", millisecond_digits(each), static_cast<double>(count) * each);
    return text;
}

std::string count_title(const ReportHead& head) {
    return head.shows_time ? "ms" : "samples";
}

}  // namespace op::pp
