// SPDX-License-Identifier: GPL-2.0-or-later
// What of events cannot be counted or sampled on this machine, and why, in words. Does not refuse them.
#pragma once

#include <set>
#include <span>
#include <string>

#include "libop/base/diagnostics.h"
#include "libop/events/event_catalogue.h"
#include "utils/shared/event_listing.h"

namespace op::tool {

/// What events take of a machine.
struct EventNeeds {
    bool counters = false;           ///< hardware counters
    bool precision = false;          ///< samples taken at the very instruction
    std::set<std::string> samplers;  ///< PMUs that take the place of counters: "ibs_op"
};

/// What events take, some with one of their unit masks, some with another.
EventNeeds needs_of_all(const EventList& events);
/// What events take as they are asked for.
EventNeeds needs_of(std::span<const ResolvedEvent> events);

/// Warns, once for all, if no kernel of today counts some of the events; they are there to read old sessions.
void note_uncounted(const CpuModel& model, const EventList& events, Diagnostics& notes);

/// Warns of each of the needs that the kernel does not meet here; of its PMUs in the directory `devices`.
void note_obstacles(const EventNeeds& needs, const std::string& devices, Diagnostics& notes);

}  // namespace op::tool
