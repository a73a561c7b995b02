// SPDX-License-Identifier: GPL-2.0-or-later
// The text of opcontrol --list-events: the events that can be sampled here, in ophelp's layout.
#pragma once

#include <optional>
#include <string>

#include "daemon/driver/driver_events.h"
#include "libop/events/event_catalogue.h"

namespace op::tool {

/// Removes from a catalogue of this machine the events that perf_event_open cannot sample: without
/// `has_counters` those that need a counter; those of facilities that the kernel has no PMU for; those of
/// PMUs that only count; and those that no current kernel supports.
void remove_unsampled(EventCatalogue& catalogue, bool has_counters);

/// The events that can be sampled. If the driver is loaded, the driver samples them and `catalogue` is of its
/// CPU type. Else perf_event_open samples them and `catalogue` is of this machine; `has_counters`: the kernel
/// offers hardware counters.
EventCatalogue sampled_events(const std::optional<collect::DriverModel>& driver,
                              const EventCatalogue& catalogue, bool has_counters);

/// The text of the same events, with counters and unit masks.
std::string event_list_text(const std::optional<collect::DriverModel>& driver,
                            const EventCatalogue& catalogue, bool has_counters);

}  // namespace op::tool
