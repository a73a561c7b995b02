// SPDX-License-Identifier: GPL-2.0-or-later
// The events of a session of the driver: those of the daemon's command line, or those that are set up in the
// driver's files.
#pragma once

#include <span>

#include "daemon/driver/driver_source.h"
#include "daemon/driver/oprofilefs.h"
#include "libop/events/event_spec.h"
#include "libop/session/session_info.h"

namespace op::collect {

/// Sets CPU type and events of `info`, and the counters of the events in `options`. Events that name their
/// counters were set up before; others are set up now, with call chains of `callgraph` callers. Without
/// events, the session has those of the enabled counters, or else the default event, set up now. Throws a
/// usage error if a counter does not exist or the driver cannot count an event, else a system or input error.
void describe_driver_session(const Oprofilefs& files, std::span<const DaemonEventSpec> specs,
                             uint64_t callgraph, SessionInfo& info, DriverOptions& options);

}  // namespace op::collect
