// SPDX-License-Identifier: GPL-2.0-or-later
// The text of opcontrol --list-events: what can be sampled here, in ophelp's layout.
#pragma once

#include <optional>
#include <string>

#include "daemon/driver/driver_events.h"
#include "libop/events/event_catalogue.h"

namespace op::tool {

/// Removes from a catalogue of this machine what perf_event_open takes no samples of: without `has_counters`
/// what takes a counter; events of facilities that the kernel has no PMU for, of PMUs that only count, and of
/// no kernel of today.
void remove_unsampled(EventCatalogue& catalogue, bool has_counters);

/// The events that can be sampled, with counters and unit masks: by the driver if it is there (`catalogue` is
/// of its CPU type), else by perf_event_open (`catalogue` is of this machine,
/// where the kernel offers counters or does not).
std::string event_list_text(const std::optional<collect::DriverModel>& driver,
                            const EventCatalogue& catalogue, bool has_counters);

}  // namespace op::tool
