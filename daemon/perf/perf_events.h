// SPDX-License-Identifier: GPL-2.0-or-later
// From the events a person asked for to those this machine can count, and how the kernel is asked for them.
#pragma once

#include <functional>
#include <vector>

#include "daemon/perf/perf_rate.h"
#include "libop/base/diagnostics.h"
#include "libop/events/event_catalogue.h"
#include "libop/events/event_encoding.h"
#include "libop/events/event_spec.h"
#include "libop/session/session_info.h"

namespace op::collect {

/// A requested event that the catalogue's rules allow.
struct CheckedEvent {
    EventSpec spec;  ///< as requested
    RecordedEvent event;
    EventEncoding encoding;
    uint64_t minimum_count = 0;
};

/// Checks the specifications, of which there may be none, by the rules of the catalogue of the running
/// machine: names, counts, unit masks, and two events that would have the same name in sample files. Asks the
/// kernel for nothing, so it accepts what only a missing counter prevents, and does not compare an event
/// whose count is to be measured with others in sample files. Equal events become one, but not one with a
/// given count and one without. Throws a usage error (see resolve_event).
std::vector<CheckedEvent> check_perf_events(const std::vector<EventSpec>& specs, bool callgraph,
                                            const EventCatalogue& catalogue);

/// Returns whether the machine can count an event.
using EventProbe = std::function<bool(const RecordedEvent&, const EventEncoding&)>;

/// Returns how often the event occurs, or nothing where that cannot be known.
using EventMeter = std::function<std::optional<EventRate>(const RecordedEvent&, const EventEncoding&)>;

/// What is asked for, and of which machine.
struct EventRequest {
    const std::vector<EventSpec>& specs;  ///< none: the default event
    bool callgraph = false;
    const EventCatalogue& catalogue;  ///< of the running machine
    EventProbe works;
    EventMeter rate;  ///< may be empty
    std::string* fallback =
        nullptr;  ///< gets the line on the clock in the place of a default event; null: the notes do
};

/// Checks the specifications as check_perf_events does, then asks the kernel. Fills in `info.events` and the
/// CPU type, and gives the encoding of each event. TIMER and, unless the catalogue has it, CPU_CLK_UNHALTED
/// are known on every machine. The default event is the CPU model's. Where cycles do not work, TIMER replaces
/// them, with a line on it. An event without a count gets one for about 1000 samples a second if its rate can
/// be measured, else a usual one, with a note. Throws a usage error for what the rules refuse and for an
/// event that does not work.
std::vector<EventEncoding> choose_events(const EventRequest& request, SessionInfo& info, Diagnostics& notes);

/// The events of this machine. Throws as load_catalogue and cpu_models do.
EventCatalogue running_catalogue();

}  // namespace op::collect
