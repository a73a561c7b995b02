// SPDX-License-Identifier: GPL-2.0-or-later
// A day of UTC: what the fleet's tables are cut by.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace op::fleet {

/// A day from 1970-01-01 to 2149-06-06, which a column of type Date can hold.
class Day {
public:
    Day() = default;
    /// By its number: days since 1970-01-01.
    explicit constexpr Day(uint16_t number) : number_(number) {}
    /// The day of a time in seconds since the epoch; the nearest one there is.
    static Day of_time(int64_t epoch_seconds);

    constexpr uint16_t number() const { return number_; }
    /// Seconds since the epoch of its first second.
    constexpr int64_t begin() const { return int64_t{number_} * seconds; }
    /// "2026-11-25": digits and hyphens only, so it may stand in a statement.
    std::string text() const;

    auto operator<=>(const Day&) const = default;

    static constexpr int64_t seconds = 86400;

private:
    uint16_t number_ = 0;
};

/// Parses "2026-11-25"; nothing if the text is no day, or none that there is.
std::optional<Day> parse_day(std::string_view text);

}  // namespace op::fleet
