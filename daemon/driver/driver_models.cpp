// SPDX-License-Identifier: GPL-2.0-or-later
// The tables of models and of registers. A new model of the driver is a row here.
#include "daemon/driver/driver_models.h"

#include <algorithm>
#include <iterator>

namespace op::collect {
namespace {

constexpr uint64_t greatest_count = 0x7fffffff;  // a counter of 31 usable bits
constexpr EventInfo none{};
/// The driver states its own minimum, which depends on the machine.
constexpr EventInfo timer{timer_event, "Nanoseconds of processor time by the kernel's clock", 0, 1, 1000000};
constexpr EventInfo rtc{"RTC_INTERRUPTS",
                        "Interrupts of the real-time clock a second, a power of two up to 4096", 0, 2, 1024};

constexpr DriverKind kinds[] = {
    {"timer", timer, greatest_count, false, false}, {"rtc", rtc, 4096, true, false},
    {"intel", none, greatest_count, false, true},   {"amd", none, greatest_count, false, true},
    {"perf", none, greatest_count, false, false},
};

// The first prefix that matches counts.
constexpr CounterRegisters registers[] = {
    {"i386/athlon", 0x76, true, false}, {"x86-64/", 0x76, true, false}, {"i386/ppro", 0x79, true, true},
    {"i386/pii", 0x79, true, true},     {"i386/p6", 0x79, true, true},  {"i386/", 0x3c, true, true},
    {"arm/", 0x11, false, false},       {"", 0, false, false},
};

}  // namespace

const DriverKind& driver_kind(std::string_view name) noexcept {
    const auto* const row = std::ranges::find(kinds, name, &DriverKind::name);
    return row == std::end(kinds) ? *std::prev(row) : *row;
}

const EventInfo* find_driver_clock(std::string_view event) noexcept {
    for (const DriverKind& kind : kinds)
        if (kind.has_clock_only() && kind.clock.name == event) return &kind.clock;
    return nullptr;
}

const CounterRegisters& counter_registers(std::string_view cpu_type) noexcept {
    return *std::ranges::find_if(
        registers, [&](const CounterRegisters& row) { return cpu_type.starts_with(row.prefix); });
}

}  // namespace op::collect
