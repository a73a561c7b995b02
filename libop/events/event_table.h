// SPDX-License-Identifier: GPL-2.0-or-later
// The events known without event files: the software clock, and cycles where there is a PMU.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "libop/events/event_spec.h"

namespace op {

/// The CPU clock, and cycles where there is a PMU.
inline constexpr std::string_view timer_event = "TIMER", cycles_event = "CPU_CLK_UNHALTED";

/// True if the event counts nanoseconds.
bool is_clock(std::string_view event);
/// The nanoseconds from sample to sample of a clock that is sampled every `count`; 0 of another event.
uint64_t sample_time(std::string_view event, uint64_t count);

/// The description of an event.
struct EventInfo {
    std::string_view name;
    std::string_view description;  ///< one clause without full stop
    uint32_t code;                 ///< stored in sample file headers
    uint64_t minimum_count;        ///< smallest accepted count
    uint64_t default_count;        ///< when no count is asked for; good for call graphs
};

/// The built-in events, the default one for a machine with a PMU first.
std::span<const EventInfo> event_table();
/// The row of that name, or null.
const EventInfo* find_event(std::string_view name);
/// Checks a specification against the table: known name, count within [minimum, 2^32-1] or 0, unit mask 0 or
/// absent, not both modes off. With `callgraph` the minimum is 15 times as high. Returns the row; throws a
/// usage error otherwise.
const EventInfo& check_event(const EventSpec& spec, bool callgraph);

}  // namespace op
