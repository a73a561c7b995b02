// SPDX-License-Identifier: GPL-2.0-or-later
// The events of the settings: chosen once, by the rules of the source that is there, and programmed if that
// is the driver.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daemon/driver/driver_events.h"
#include "libop/control/daemon_settings.h"
#include "utils/opcontrol/control_daemon.h"
#include "utils/opcontrol/control_paths.h"

namespace op::tool {

/// The model and counters of the driver; none if it is not loaded and mounted. Throws a system error.
std::optional<collect::DriverModel> find_driver(const ControlPaths& paths);

/// When the events are to be counted.
enum class EventUse {
    now,
    later,  ///< a driver may be loaded by then
};

/// What the settings' events are on the source that is there. The check of new settings and the start of the
/// daemon both work with this.
struct EventChoice {
    DaemonSettings settings;                     ///< whose events they are
    std::optional<collect::DriverModel> driver;  ///< none: perf_event_open
    std::vector<collect::ConfiguredEvent>
        events;  ///< driver: on their counters, the default one if none is set
};

/// Chooses by the driver's rules if it is loaded, else checks by those of perf_event_open, which the daemon
/// applies again when it asks the kernel: only a process that opens the events knows which of them it may
/// have, and what the daemon opens may differ from what another process could. An event that the rules allow
/// and the kernel refuses is thus an error of the start, not of the settings. Without a driver, `later`
/// accepts names that this machine does not know and a driver may: raw codes and the RTC. Throws a usage
/// error for what the source cannot count.
EventChoice choose_settings_events(const DaemonSettings& settings, const ControlPaths& paths, EventUse use);

/// Programs the driver if it is the source; the daemon then finds the events on their counters. Throws a
/// usage error for filters that the source does not support, a system error if the driver refuses a value.
DaemonSource prepare_source(EventChoice choice, const ControlPaths& paths);

/// True for models that program the counters' registers: the NMI watchdog must be off for them.
bool needs_nmi_watchdog_off(const ControlPaths& paths);

}  // namespace op::tool
