// SPDX-License-Identifier: GPL-2.0-or-later
// The last step before the daemon starts: the events are chosen and, where the driver is there, programmed.
#pragma once

#include <optional>
#include <string>

#include "daemon/driver/driver_events.h"
#include "libop/control/daemon_settings.h"
#include "utils/opcontrol/control_daemon.h"
#include "utils/opcontrol/control_paths.h"

namespace op::tool {

/// What the mounted driver can do, or none if it is not there. Throws a system error.
std::optional<collect::DriverModel> find_driver(const ControlPaths& paths);

/// Throws a usage error for events the driver cannot count. If it is not there, they are checked by this
/// machine's event files; raw codes and the RTC may be of a driver that comes.
void check_events(const DaemonSettings& settings, const ControlPaths& paths);

/// Programs the driver if it is there; the daemon then finds the events on their counters. Events for
/// perf_event_open are left to the daemon. Throws a usage error for events, counts and filters the source
/// cannot give, a system error if the driver refuses a value.
DaemonSource prepare_source(const DaemonSettings& settings, const ControlPaths& paths);

/// True for models that program the counters' registers, for which the NMI watchdog must make room.
bool needs_nmi_watchdog_off(const ControlPaths& paths);

}  // namespace op::tool
