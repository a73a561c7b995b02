// SPDX-License-Identifier: GPL-2.0-or-later
// Every path opcontrol uses besides those of its settings, in one place, so that a test's tree can stand in
// for the machine's.
#pragma once

#include <string>

namespace op::tool {

/// Absolute paths.
struct ControlPaths {
    std::string home;             ///< of root; the settings lie in .oprofile below it
    std::string modules;          ///< the running kernel's modules
    std::string driver;           ///< where oprofilefs is mounted
    std::string proc_sys;         ///< /proc/sys
    std::string run;              ///< what must not outlive a boot; only root may write there
    std::string control;          ///< the daemon's control socket
    std::string default_session;  ///< session directory when none was chosen
    bool is_test_tree = false;    ///< a tree other than the machine's own
};

/// The paths below `root`; "" is the machine itself. Throws a system error if root has no home directory.
ControlPaths control_paths(const std::string& root);

}  // namespace op::tool
