// SPDX-License-Identifier: GPL-2.0-or-later
// The output of opcontrol --status.
#pragma once

#include <optional>
#include <string>

#include "daemon/driver/driver_events.h"
#include "libop/control/control.h"
#include "libop/control/daemon_settings.h"

namespace op::tool {

/// The state to print.
struct ControlStatus {
    std::optional<ControlReply> daemon;          ///< its answer to "status"; none = it does not run
    std::optional<collect::DriverModel> driver;  ///< none = not loaded
    std::string timers;                          ///< timers_text()
    DaemonSettings settings;                     ///< of the running daemon, else of its next start
    std::string session_dir;
    bool has_waiting_settings = false;  ///< other settings apply at the next start
};

/// The lines of --status: "Label: value".
std::string status_text(const ControlStatus& status);

}  // namespace op::tool
