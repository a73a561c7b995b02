// SPDX-License-Identifier: GPL-2.0-or-later
// What a session of the driver counts: from the events the daemon was told, or from what the driver's files
// say is set up.
#pragma once

#include <span>

#include "daemon/driver/driver_source.h"
#include "daemon/driver/oprofilefs.h"
#include "libop/events/event_spec.h"
#include "libop/session/session_info.h"

namespace op::collect {

/// Fills in CPU type and events of `info` and the counters they are on. Events that name their counters were
/// set up before; others are set up now, with call chains of `callgraph` callers. No events at all: the
/// counters that are enabled, or, if there are none, the default event, set up now. Throws a usage error if a
/// counter is not there or the driver cannot count an event, else a system or input error.
void describe_driver_session(const Oprofilefs& files, std::span<const DaemonEventSpec> specs,
                             uint64_t callgraph, SessionInfo& info, DriverOptions& options);

}  // namespace op::collect
