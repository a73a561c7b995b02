// SPDX-License-Identifier: GPL-2.0-or-later
// From the events a person asked to have counted to how the kernel is asked for them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "daemon/perf/event_cpus.h"
#include "libop/base/diagnostics.h"
#include "libop/events/event_catalogue.h"
#include "libop/events/event_encoding.h"
#include "libop/events/event_spec.h"

namespace op::collect {

/// An event to be counted, not sampled.
struct CountedEvent {
    EventSpec spec;
    std::string label;  ///< as reports have it: name[:unitmask][:k|:u], k = kernel mode only, u = user only
    EventEncoding encoding;
    /// Not all for PMUs that are not every CPU's (uncore, hybrid).
    CountingCpus cpus;
};

/// Tells whether the machine can count an event.
using CountProbe = std::function<bool(const CountedEvent&)>;

/// Resolves the specifications; without any the CPU's default event, or TIMER with a note where `works` says
/// that this machine does not count it. TIMER is known on every machine. Throws usage errors as resolve_event
/// does.
std::vector<CountedEvent> choose_counted_events(const std::vector<EventSpec>& specs,
                                                const EventCatalogue& catalogue, const CountProbe& works,
                                                Diagnostics& notes);

/// "TIMER, cpu-clock, task-clock, ...": what can be counted on every machine.
std::string always_countable();

}  // namespace op::collect
