// SPDX-License-Identifier: GPL-2.0-or-later
// Starting and ending oprofiled.
#pragma once

#include <string>
#include <vector>

#include "libop/control/control.h"
#include "libop/control/daemon_settings.h"
#include "utils/opcontrol/control_paths.h"

namespace op::tool {

/// What the daemon is to sample from.
struct DaemonSource {
    std::string name;    ///< "driver" or "perf"
    std::string events;  ///< as oprofiled's --events takes them; empty = the default one
};

/// The session directory of the settings, or the default one.
std::string session_dir_of(const DaemonSettings& settings, const ControlPaths& paths);

/// oprofiled's arguments, the program first. `verbose` is a comma list, empty = none.
std::vector<std::string> daemon_words(const std::string& program, const DaemonSettings& settings,
                                      const DaemonSource& source, const ControlPaths& paths,
                                      const std::string& verbose);

/// The oprofiled that was built or installed together with the running program: beside it, in sbin beside its
/// directory, else where it was meant to be installed. PATH is not asked. Throws a usage error if there is
/// none.
std::string find_daemon();

/// "; see PATH" for the log in that session directory, or "" if there is none.
std::string log_hint(const std::string& session_dir);

/// Runs the daemon's starter until it says that the daemon is ready. Throws a system error that names the
/// session directory's log if it fails or takes longer than 30 seconds.
void start_daemon(const std::vector<std::string>& words, const std::string& session_dir);

/// Asks the daemon to end and waits until it has. One that does not answer within 10 seconds is sent SIGTERM,
/// one that has not ended after 15 is killed: then false, and what it had not stored is lost. One that went
/// away meanwhile has ended. Throws an input error with the daemon's reason if it refuses, a system error if
/// it cannot be ended.
bool end_daemon(ControlClient& daemon);

}  // namespace op::tool
