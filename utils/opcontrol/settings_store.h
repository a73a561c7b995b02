// SPDX-License-Identifier: GPL-2.0-or-later
// Where the settings are kept: daemonrc in .oprofile below root's home, and daemonrc_new beside it for what a
// running daemon is to find at its next start. Their format is libop/daemon_settings.
#pragma once

#include <optional>
#include <string>

#include "libop/base/fd.h"
#include "libop/control/daemon_settings.h"

namespace op::tool {

/// The directory of the settings. Symbolic links in place of it or of its files are refused, and so is a
/// directory or a file that others may write to or that belongs to somebody else. Files are replaced as a
/// whole.
class SettingsStore {
public:
    /// Opens the directory; with `make` it is made (0755) if it is not there, otherwise a missing one holds
    /// no settings. Throws a system error; an input error if others may write to it.
    SettingsStore(const std::string& home, bool make);

    /// The settings to build on: those waiting in daemonrc_new, else daemonrc, else none. Throws an input
    /// error (see parse_daemon_settings) or a system error.
    DaemonSettings load() const;
    /// What the running daemon was started with: daemonrc alone.
    DaemonSettings load_active() const;
    /// Writes daemonrc_new if a daemon runs, else daemonrc, which then holds all there is.
    void save(const DaemonSettings& settings, bool is_daemon_running) const;
    /// Makes the waiting settings, if there are any, the active ones.
    void adopt_new() const;

private:
    std::optional<DaemonSettings> read(const char* name) const;

    std::string path_;
    Fd dir_;
};

}  // namespace op::tool
