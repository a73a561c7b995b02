// SPDX-License-Identifier: GPL-2.0-or-later
// The tables of models and of registers. A new model of the driver is a row here.
#include "daemon/driver/driver_models.h"

#include <algorithm>
#include <iterator>
#include <span>

#include "libop/base/text.h"

namespace op::collect {
namespace {

constexpr uint64_t greatest_count = 0x7fffffff;  // a counter of 31 usable bits
constexpr EventInfo none{};
constexpr EventInfo rtc{"RTC_INTERRUPTS",
                        "Interrupts of the real-time clock a second, a power of two up to 4096", 0, 2, 1024};

/// The driver states its own minimum, which depends on the machine.
EventInfo timer() {
    EventInfo row = *find_event(timer_event);
    row.minimum_count = 1;
    return row;
}

/// In the order in which the driver tries them.
std::span<const DriverKind> kinds() {
    static const DriverKind rows[] = {
        {.name = "intel",
         .clock = none,
         .greatest_count = greatest_count,
         .counts_rate = false,
         .programs_counters = true},
        {.name = "p4",
         .clock = none,
         .greatest_count = greatest_count,
         .counts_rate = false,
         .programs_counters = true},
        {.name = "amd",
         .clock = none,
         .greatest_count = greatest_count,
         .counts_rate = false,
         .programs_counters = true},
        {.name = "perf",
         .clock = none,
         .greatest_count = greatest_count,
         .counts_rate = false,
         .programs_counters = false},
        {.name = "rtc",
         .clock = rtc,
         .greatest_count = 4096,
         .counts_rate = true,
         .programs_counters = false},
        {.name = "timer",
         .clock = timer(),
         .greatest_count = greatest_count,
         .counts_rate = false,
         .programs_counters = false},
    };
    return rows;
}

// The first prefix that matches counts.
constexpr CounterRegisters registers[] = {
    {.prefix = "i386/athlon", .clock_code = 0x76, .is_x86 = true, .has_fixed_counters = false},
    {.prefix = "x86-64/", .clock_code = 0x76, .is_x86 = true, .has_fixed_counters = false},
    {.prefix = "i386/ppro", .clock_code = 0x79, .is_x86 = true, .has_fixed_counters = true},
    {.prefix = "i386/pii", .clock_code = 0x79, .is_x86 = true, .has_fixed_counters = true},
    {.prefix = "i386/p6", .clock_code = 0x79, .is_x86 = true, .has_fixed_counters = true},
    {.prefix = "i386/p4",
     .clock_code = 0,
     .is_x86 = false,
     .has_fixed_counters = false,
     .numbers_events = true},
    {.prefix = "i386/", .clock_code = 0x3c, .is_x86 = true, .has_fixed_counters = true},
    {.prefix = "arm/", .clock_code = 0x11, .is_x86 = false, .has_fixed_counters = false},
    {.prefix = "", .clock_code = 0, .is_x86 = false, .has_fixed_counters = false},
};

}  // namespace

const DriverKind& driver_kind(std::string_view name) noexcept {
    const auto row = std::ranges::find(kinds(), name, &DriverKind::name);
    return row == kinds().end() ? driver_kind("perf") : *row;
}

bool is_driver_model(std::string_view name) noexcept {
    return std::ranges::find(kinds(), name, &DriverKind::name) != kinds().end();
}

std::string driver_model_names() {
    return joined(kinds(), ", ", &DriverKind::name);
}

const EventInfo* find_driver_clock(std::string_view event) noexcept {
    for (const DriverKind& kind : kinds())
        if (kind.has_clock_only() && kind.clock.name == event) return &kind.clock;
    return nullptr;
}

const CounterRegisters& counter_registers(std::string_view cpu_type) noexcept {
    return *std::ranges::find_if(
        registers, [&](const CounterRegisters& row) { return cpu_type.starts_with(row.prefix); });
}

}  // namespace op::collect
