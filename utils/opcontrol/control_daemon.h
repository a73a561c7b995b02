// SPDX-License-Identifier: GPL-2.0-or-later
// Starts and ends oprofiled.
#pragma once

#include <string>
#include <vector>

#include "libop/control/control.h"
#include "libop/control/daemon_settings.h"
#include "utils/opcontrol/control_paths.h"

namespace op::tool {

/// The source that the daemon samples from.
struct DaemonSource {
    std::string name;                ///< "driver" or "perf"
    std::string events;              ///< as oprofiled's --events takes them; empty = the default one
    std::vector<std::string> words;  ///< further arguments of oprofiled for it
};

/// The session directory of the settings, or the default one.
std::string session_dir_of(const DaemonSettings& settings, const ControlPaths& paths);

/// oprofiled's arguments, the program first. `verbose` is a comma list, empty = none.
std::vector<std::string> daemon_words(const std::string& program, const DaemonSettings& settings,
                                      const DaemonSource& source, const ControlPaths& paths,
                                      const std::string& verbose);

/// The oprofiled that was built or installed together with the running program: beside it, in sbin beside its
/// directory, else in the configured directory. PATH is not searched. Throws a usage error if it is not
/// found.
std::string find_daemon();

/// "; see PATH" for the log in that session directory, or "" if there is no log.
std::string log_hint(const std::string& session_dir);

/// Runs the daemon's starter until it reports that the daemon is ready. Throws a system error that names the
/// session directory's log if it fails or takes longer than 30 seconds.
void start_daemon(const std::vector<std::string>& words, const std::string& session_dir);

/// Asks the daemon to end and waits until it has. Sends SIGTERM if it does not answer within 10 seconds and
/// kills it if it has not ended after 15 seconds: then the result is false, and samples that were not stored
/// are lost. Throws an input error with the daemon's reason if it refuses, a system error if it cannot be
/// ended.
bool end_daemon(ControlClient& daemon);

}  // namespace op::tool
