// SPDX-License-Identifier: GPL-2.0-or-later
// The text of HTTP that libcurl leaves to its user: dates, waiting times, escapes.
#include <algorithm>
#include <array>
#include <chrono>

#include "fleet/http.h"
#include "libop/base/text.h"

namespace op::fleet {
namespace {

constexpr uint64_t longest_wait = 86400;  // seconds

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n";
    const size_t first = text.find_first_not_of(blanks);
    if (first == text.npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::optional<unsigned> month_of(std::string_view name) {
    constexpr std::array<std::string_view, 12> names = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) return std::nullopt;
    return static_cast<unsigned>(found - names.begin()) + 1;
}

}  // namespace

std::optional<int64_t> parse_http_date(std::string_view text) {
    const auto words = split(text, ' ');
    if (words.size() != 6 || words[5] != "GMT") return std::nullopt;
    const auto clock = split(words[4], ':');
    const auto day = parse_number(words[1]), year = parse_number(words[3]);
    const auto month = month_of(words[2]);
    if (clock.size() != 3 || !day || !month || !year || *day > 31 || *year > 9999) return std::nullopt;
    const auto hour = parse_number(clock[0]), minute = parse_number(clock[1]),
               second = parse_number(clock[2]);
    if (!hour || !minute || !second || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*year)),
                                           std::chrono::month(*month),
                                           std::chrono::day(static_cast<unsigned>(*day))};
    if (!date.ok()) return std::nullopt;
    const int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
    return days * 86400 + static_cast<int64_t>(*hour * 3600 + *minute * 60 + *second);
}

void take_header(std::string_view line, int64_t now, HttpAnswer& answer) {
    const size_t colon = line.find(':');
    if (colon == line.npos) return;
    const std::string name = lower(line.substr(0, colon));
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (name == "date") answer.date = parse_http_date(value);
    if (name != "retry-after") return;
    if (const auto seconds = parse_number(value)) {
        answer.retry_after = std::min(*seconds, longest_wait);
    } else if (const auto date = parse_http_date(value)) {
        const int64_t wait = *date - answer.date.value_or(now);
        answer.retry_after = std::min(static_cast<uint64_t>(std::max<int64_t>(wait, 0)), longest_wait);
    }
}

std::string percent_encoded(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                              std::string_view("-._~").find(c) != std::string_view::npos;
        if (is_plain)
            out += c;
        else
            out += "%" + hex(static_cast<unsigned char>(c), 2);
    }
    return out;
}

}  // namespace op::fleet
