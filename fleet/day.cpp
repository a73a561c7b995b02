// SPDX-License-Identifier: GPL-2.0-or-later
// Days by the calendar of std::chrono, which is UTC's and has no leap seconds.
#include "fleet/day.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "libop/base/text.h"

namespace op::fleet {

Day Day::of_time(int64_t epoch_seconds) {
    const int64_t number = epoch_seconds / seconds;
    return Day(static_cast<uint16_t>(std::clamp<int64_t>(number, 0, std::numeric_limits<uint16_t>::max())));
}

std::string Day::text() const {
    const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(number_))};
    const auto padded = [](unsigned value) { return (value < 10 ? "-0" : "-") + std::to_string(value); };
    return std::to_string(static_cast<int>(date.year())) + padded(static_cast<unsigned>(date.month())) +
           padded(static_cast<unsigned>(date.day()));
}

std::optional<Day> parse_day(std::string_view text) {
    const auto parts = split(text, '-');
    if (text.size() != 10 || parts.size() != 3 || parts[0].size() != 4 || parts[1].size() != 2)
        return std::nullopt;
    const auto year = parse_number(parts[0]), month = parse_number(parts[1]), day = parse_number(parts[2]);
    if (!year || !month || !day) return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*year)),
                                           std::chrono::month(static_cast<unsigned>(*month)),
                                           std::chrono::day(static_cast<unsigned>(*day))};
    if (!date.ok()) return std::nullopt;
    const auto number = std::chrono::sys_days(date).time_since_epoch().count();
    if (number < 0 || number > std::numeric_limits<uint16_t>::max()) return std::nullopt;
    return Day(static_cast<uint16_t>(number));
}

}  // namespace op::fleet
