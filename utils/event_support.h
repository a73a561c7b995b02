// SPDX-License-Identifier: GPL-2.0-or-later
// Finds what this machine lacks to count or sample events, and prints the reasons. Does not refuse events.
#pragma once

#include <set>
#include <span>
#include <string>

#include "libop/base/diagnostics.h"
#include "libop/events/event_catalogue.h"
#include "utils/shared/event_listing.h"

namespace op::tool {

/// What events need of a machine.
struct EventNeeds {
    bool counters = false;           ///< hardware counters
    bool precision = false;          ///< samples without skid
    std::set<std::string> samplers;  ///< PMUs used instead of counters: "ibs_op"
};

/// What the events need, each with any of its unit masks.
EventNeeds needs_of_all(const EventList& events);
/// What the events need with the unit masks that the user gave.
EventNeeds needs_of(std::span<const ResolvedEvent> events);

/// Adds one warning if no current kernel counts some of the events; they exist to read old sessions.
void note_uncounted(const CpuModel& model, const EventList& events, Diagnostics& notes);

/// Warns of each need that the kernel does not meet here. Its PMUs are those in the directory `devices`.
void note_obstacles(const EventNeeds& needs, const std::string& devices, Diagnostics& notes);

}  // namespace op::tool
