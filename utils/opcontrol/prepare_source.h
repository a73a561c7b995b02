// SPDX-License-Identifier: GPL-2.0-or-later
// The last step before the daemon starts: chooses the events and, if the driver is loaded, programs them.
#pragma once

#include <optional>
#include <string>

#include "daemon/driver/driver_events.h"
#include "libop/control/daemon_settings.h"
#include "utils/opcontrol/control_daemon.h"
#include "utils/opcontrol/control_paths.h"

namespace op::tool {

/// The model and counters of the driver; none if it is not loaded and mounted. Throws a system error.
std::optional<collect::DriverModel> find_driver(const ControlPaths& paths);

/// Throws a usage error for events that the driver cannot count. If the driver is not loaded, checks them
/// with this machine's event files and accepts raw codes and the RTC, which a driver loaded later may know.
void check_events(const DaemonSettings& settings, const ControlPaths& paths);

/// Programs the driver if it is loaded; the daemon then finds the events on their counters. The daemon itself
/// chooses events for perf_event_open. Throws a usage error for events, counts and filters that the source
/// does not support, a system error if the driver refuses a value.
DaemonSource prepare_source(const DaemonSettings& settings, const ControlPaths& paths);

/// True for models that program the counters' registers: the NMI watchdog must be off for them.
bool needs_nmi_watchdog_off(const ControlPaths& paths);

}  // namespace op::tool
