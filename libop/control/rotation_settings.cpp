// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/control/rotation_settings.h"

#include <optional>

#include "libop/base/error.h"
#include "libop/base/text.h"

namespace op {
namespace {

constexpr uint64_t hour = 3600, day = 24 * hour;
/// So that no sum with a time overflows.
constexpr uint64_t longest_keep = 36500 * day;

/// A number with one of these letters behind it, which multiply it, or without; none if it is not that.
struct Unit {
    char letter;
    uint64_t factor;
};
template <size_t n>
std::optional<uint64_t> parse_with_unit(std::string_view text, const Unit (&units)[n]) {
    uint64_t factor = 1;
    for (const Unit& unit : units) {
        if (text.empty() || text.back() != unit.letter) continue;
        factor = unit.factor;
        text.remove_suffix(1);
        break;
    }
    const auto number = parse_number(text);
    uint64_t product = 0;
    if (!number || __builtin_mul_overflow(*number, factor, &product)) return std::nullopt;
    return product;
}

uint64_t parse_period(std::string_view text) {
    if (text.empty() || text == rotate_off) return 0;
    if (text == "1d") return day;
    if (text == "1h") return hour;
    const auto seconds = parse_number(text);
    if (!seconds || *seconds == 0 || *seconds > day || day % *seconds != 0)
        throw_usage("--rotate=" + printable(text) +
                    ": not one of 1d, 1h, off, nor, for tests, a number of seconds that divides a day");
    return *seconds;
}

uint64_t parse_keep(std::string_view text) {
    if (text.empty() || text == rotate_off) return 0;
    constexpr Unit units[] = {{'d', day}, {'h', hour}};
    const auto seconds = parse_with_unit(text, units);
    if (!seconds || *seconds == 0 || *seconds > longest_keep)
        throw_usage("--keep=" + printable(text) +
                    ": not a number of days (7d), hours (36h) or seconds, nor off");
    return *seconds;
}

uint64_t parse_disk_cap(std::string_view text) {
    if (text.empty() || text == rotate_off) return 0;
    constexpr Unit units[] = {{'K', 1 << 10}, {'M', 1 << 20}, {'G', 1 << 30}, {'T', uint64_t{1} << 40}};
    const auto bytes = parse_with_unit(text, units);
    if (!bytes || *bytes == 0)
        throw_usage("--max-disk=" + printable(text) + ": not a number of bytes, or of K, M, G or T, nor off");
    return *bytes;
}

}  // namespace

RotationSettings parse_rotation(std::string_view rotate, std::string_view keep, std::string_view max_disk) {
    return {parse_period(rotate), parse_keep(keep), parse_disk_cap(max_disk)};
}

std::string period_text(uint64_t seconds) {
    if (seconds % day == 0) return std::to_string(seconds / day) + "d";
    if (seconds % hour == 0) return std::to_string(seconds / hour) + "h";
    return std::to_string(seconds) + " s";
}

}  // namespace op
