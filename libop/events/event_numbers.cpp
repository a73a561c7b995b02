// SPDX-License-Identifier: GPL-2.0-or-later
// The table of families of CPU types.
#include "libop/events/event_numbers.h"

#include <algorithm>
#include <iterator>

namespace op {

namespace {

struct Family {
    std::string_view types;  ///< what their names begin with
    EventNumbers numbers;
};

/// The first row that fits holds.
constexpr Family families[] = {
    {"i386/athlon", EventNumbers::amd}, {"i386/p4", EventNumbers::pentium4}, {"i386/", EventNumbers::x86},
    {"x86-64/", EventNumbers::amd},     {"rtc", EventNumbers::rtc},          {"s390/", EventNumbers::s390},
    {"ppc64/", EventNumbers::power},    {"mips/", EventNumbers::mips},
};

}  // namespace

EventNumbers event_numbers(std::string_view cpu_type) noexcept {
    const auto row = std::ranges::find_if(
        families, [&](const Family& family) { return cpu_type.starts_with(family.types); });
    return row == std::end(families) ? EventNumbers::code : row->numbers;
}

bool has_event_groups(std::string_view cpu_type) noexcept {
    return event_numbers(cpu_type) == EventNumbers::power;
}

}  // namespace op
