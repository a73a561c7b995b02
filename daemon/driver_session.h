// SPDX-License-Identifier: GPL-2.0-or-later
// What a session of the driver counts: from the events the daemon was told, or from what the driver's files
// say is set up. Sets nothing up.
#pragma once

#include <span>

#include "daemon/driver_source.h"
#include "daemon/oprofilefs.h"
#include "libop/event_spec.h"
#include "libop/session_info.h"

namespace op::collect {

/// Fills in CPU type and events of `info` and the counters they are on. Events without a counter get the
/// place they stand at; without a code, what the driver has for that counter. With no events: all counters
/// that are enabled. Throws a usage error if there are none or a counter is not there, else a system or input
/// error.
void describe_driver_session(const Oprofilefs& files, std::span<const DaemonEventSpec> specs,
                             SessionInfo& info, DriverOptions& options);

}  // namespace op::collect
