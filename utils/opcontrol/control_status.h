// SPDX-License-Identifier: GPL-2.0-or-later
// What opcontrol --status prints.
#pragma once

#include <optional>
#include <string>

#include "daemon/driver/driver_events.h"
#include "libop/control/control.h"
#include "libop/control/daemon_settings.h"

namespace op::tool {

/// All there is to show.
struct ControlStatus {
    std::optional<ControlReply> daemon;          ///< its answer to "status"; none = it does not run
    std::optional<collect::DriverModel> driver;  ///< none = not loaded
    DaemonSettings settings;                     ///< the daemon's, or those of its next start
    std::string session_dir;
    bool has_waiting_settings = false;  ///< others will count at the next start
};

/// The lines of --status: "Label: value".
std::string status_text(const ControlStatus& status);

}  // namespace op::tool
