// SPDX-License-Identifier: GPL-2.0-or-later
// From the events a person asked for to those this machine can count.
#pragma once

#include <functional>
#include <vector>

#include "libop/diagnostics.h"
#include "libop/event_spec.h"
#include "libop/session_info.h"

namespace op::collect {

/// Tells whether the machine can count an event.
using EventProbe = std::function<bool(const RecordedEvent&)>;

/// Checks the specifications and fills in `info.events` and the CPU type. Without specifications the default
/// event is taken: CPU_CLK_UNHALTED where `works` says so, else TIMER. Where a hardware event was asked for
/// and does not work, TIMER takes its place, with a note. Throws a usage error (see check_event).
void choose_events(const std::vector<EventSpec>& specs, bool callgraph, const EventProbe& works,
                   SessionInfo& info, Diagnostics& notes);

}  // namespace op::collect
