// SPDX-License-Identifier: GPL-2.0-or-later
// The kernel's NMI watchdog occupies a hardware counter; while the driver programs the counters' registers it
// is switched off, and what it was is remembered across opcontrol's runs.
#pragma once

#include "utils/opcontrol/control_paths.h"

namespace op::tool {

/// Switches the watchdog off if it is on, and remembers that in the run directory. True if it did. Throws a
/// system error; it is on then.
bool switch_off_nmi_watchdog(const ControlPaths& paths);

/// Switches it on again if switch_off_nmi_watchdog switched it off. True if it did. Throws a system error; it
/// is still remembered then.
bool restore_nmi_watchdog(const ControlPaths& paths);

}  // namespace op::tool
