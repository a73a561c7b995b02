// SPDX-License-Identifier: GPL-2.0-or-later
// Resolves the events that the user asked to count into encodings for the kernel.
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
    std::string label;  ///< in reports: name[:unitmask][:k|:u], k = kernel mode only, u = user only
    EventEncoding encoding;
    /// Not all CPUs if the PMU does not belong to every CPU (uncore, hybrid).
    CountingCpus cpus;
};

/// True if the machine can count the event.
using CountProbe = std::function<bool(const CountedEvent&)>;

/// Resolves the specifications. If there are none, the result is the CPU's default event, or TIMER, with a
/// line on it in `fallback`, if `works` returns false for that event. TIMER is known on every machine. Throws
/// usage errors as resolve_event does.
std::vector<CountedEvent> choose_counted_events(const std::vector<EventSpec>& specs,
                                                const EventCatalogue& catalogue, const CountProbe& works,
                                                std::string& fallback);

/// "TIMER, cpu-clock, task-clock, ...": the events that every machine can count.
std::string always_countable();

}  // namespace op::collect
