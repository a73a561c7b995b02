// SPDX-License-Identifier: GPL-2.0-or-later
// The events and CPU types known without event files: the software clock, and cycles where there is a PMU.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "libop/event_spec.h"

namespace op {

/// CPU type numbers stored in sample file headers of version 0x13 (doc/FORMATS.md, "CPU types").
inline constexpr uint32_t cpu_type_timer = 4;

/// What there is to say about an event.
struct EventInfo {
    std::string_view name;
    std::string_view description;   ///< one clause without full stop
    uint32_t code;                  ///< stored in sample file headers
    uint64_t minimum_count;         ///< smallest accepted count
    uint64_t default_count;         ///< when no event is asked for
};

/// The built-in events, the default one for a machine with a PMU first.
std::span<const EventInfo> event_table();
/// The row of that name, or null.
const EventInfo* find_event(std::string_view name);
/// Checks a specification against the table: known name, count within [minimum, 2^32-1], unit mask 0 or
/// absent, not both modes off. With `callgraph` the minimum is 15 times as high. Returns the row; throws a
/// usage error otherwise.
const EventInfo& check_event(const EventSpec& spec, bool callgraph);

/// One row of the CPU types whose number a sample file header can hold.
struct CpuType {
    uint32_t number;            ///< in headers of version 0x13
    std::string_view name;      ///< "i386/core_2"
    std::string_view title;     ///< "Core 2"
};
/// The row with that 1.x number, or null.
const CpuType* find_cpu_type(uint32_t number);
/// The 1.x number for a header of version 0x12 (0.9.x numbering); unknown ones give no row.
const CpuType* find_cpu_type_0_9(uint32_t number);
/// The CPU type of the running machine by name, or cpu_type_timer's row if it is not recognised.
const CpuType& running_cpu_type();

}  // namespace op
