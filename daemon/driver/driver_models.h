// SPDX-License-Identifier: GPL-2.0-or-later
// What distinguishes the driver's models and the processors under them: two tables, the only places that know
// their names. Reads no file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "libop/events/event_table.h"

namespace op::collect {

/// A model of the driver, as its file "model" names it (doc/DRIVER.md).
struct DriverKind {
    std::string_view name;
    /// The one event of a model that has a clock instead of counters; without a name for models that count
    /// events of the CPU type and raw codes.
    EventInfo clock;
    uint64_t greatest_count;
    bool counts_rate;        ///< counts are interrupts a second, which call graphs do not raise
    bool programs_counters;  ///< writes the counters' registers itself, so that an event has to be on a
                             ///< counter that can hold it and nothing else may use one

    bool has_clock_only() const noexcept { return !clock.name.empty(); }
};

/// The model of that name. One that is not known has counters that the kernel programs, as "perf".
const DriverKind& driver_kind(std::string_view name) noexcept;

/// True if the driver has a model of that name.
bool is_driver_model(std::string_view name) noexcept;

/// Their names with commas between.
std::string driver_model_names();

/// The row of an event that is the only one of some model; null for other events.
const EventInfo* find_driver_clock(std::string_view event) noexcept;

/// How processors lay out the registers of their counters.
struct CounterRegisters {
    std::string_view prefix;  ///< of CPU types
    uint32_t clock_code;      ///< of CPU_CLK_UNHALTED; 0 = not known
    bool is_x86;              ///< an event select register of x86
    bool has_fixed_counters;  ///< selected by event 0
    /// Events have numbers that are the driver's own, those of the event files, and unit masks of 16 bits.
    bool numbers_events = false;
};

/// The registers of a CPU type; all zero for an unknown type.
const CounterRegisters& counter_registers(std::string_view cpu_type) noexcept;

}  // namespace op::collect
