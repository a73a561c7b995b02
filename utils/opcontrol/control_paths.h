// SPDX-License-Identifier: GPL-2.0-or-later
// Every path that opcontrol uses besides those of its settings, in one place, so that a test can replace the
// machine's tree by its own.
#pragma once

#include <string>

namespace op::tool {

/// Absolute paths.
struct ControlPaths {
    std::string home;             ///< root's home directory; the settings are in .oprofile below it
    std::string modules;          ///< the running kernel's modules
    std::string driver;           ///< the mount point of oprofilefs
    std::string proc_sys;         ///< /proc/sys
    std::string run;              ///< for state that must not survive a boot; only root may write there
    std::string control;          ///< the daemon's control socket
    std::string default_session;  ///< the session directory if the settings name none
    bool is_test_tree = false;    ///< a tree other than the machine's own
};

/// The paths below `root`; "" is the machine itself. Throws a system error if root has no home directory.
ControlPaths control_paths(const std::string& root);

}  // namespace op::tool
