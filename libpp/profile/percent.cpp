// SPDX-License-Identifier: GPL-2.0-or-later
// The format of shares in text reports.
#include "libpp/profile/percent.h"

#include <cmath>
#include <cstdio>
#include <string_view>

namespace op::pp {

double percent_of(uint64_t count, uint64_t total) {
    return total == 0 ? 0 : 100.0 * static_cast<double>(count) / static_cast<double>(total);
}

std::string format_percent(double percent) {
    if (percent == 0) return "      0";
    char text[400];
    const char* const format = std::fabs(percent) > 0.001 ? "%7.4f" : "%7.1e";
    int length = std::snprintf(text, sizeof text, format, percent);
    if (std::string_view(text, static_cast<size_t>(length)).starts_with("100.")) --length;
    return {text, static_cast<size_t>(length)};
}

}  // namespace op::pp
