// SPDX-License-Identifier: GPL-2.0-or-later
// The settings' files: daemonrc in .oprofile below root's home, and daemonrc_new beside it for the settings
// of the daemon's next start while it runs. Their format is libop/control/daemon_settings.
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
    /// Opens the directory. If it is missing, creates it (0755) with `make`, else the store has no settings.
    /// Throws a system error; an input error if others may write to it.
    SettingsStore(const std::string& home, bool make);

    /// The current settings: those in daemonrc_new, else those in daemonrc, else none. Throws an input error
    /// (see parse_daemon_settings) or a system error.
    DaemonSettings load() const;
    /// The settings that the running daemon was started with: those in daemonrc.
    DaemonSettings load_active() const;
    /// Writes daemonrc_new if a daemon runs, else daemonrc, and removes daemonrc_new.
    void save(const DaemonSettings& settings, bool is_daemon_running) const;
    /// Moves daemonrc_new, if it exists, to daemonrc.
    void adopt_new() const;

private:
    std::optional<DaemonSettings> read(const char* name) const;

    std::string path_;
    Fd dir_;
};

}  // namespace op::tool
