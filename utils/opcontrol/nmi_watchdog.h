// SPDX-License-Identifier: GPL-2.0-or-later
// The kernel's NMI watchdog occupies a hardware counter. It is switched off while the driver programs the
// counters' registers, and its previous state is kept between runs of opcontrol.
#pragma once

#include "utils/opcontrol/control_paths.h"

namespace op::tool {

/// Switches the watchdog off if it is on, and records that in the run directory. True if it was on. Throws a
/// system error; the watchdog is then still on.
bool switch_off_nmi_watchdog(const ControlPaths& paths);

/// Switches the watchdog on again if switch_off_nmi_watchdog switched it off, and returns true then. Throws a
/// system error; the record is then kept.
bool restore_nmi_watchdog(const ControlPaths& paths);

}  // namespace op::tool
