// SPDX-License-Identifier: GPL-2.0-or-later
// What the report commands have in common: their shared options, and opening the session they report on.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libop/session/session.h"
#include "libop/session/session_info.h"
#include "libpp/object/demangle.h"
#include "libpp/symbols/image_finder.h"
#include "libpp/profile/profile_spec.h"
#include "libpp/profile/select.h"
#include "utils/shared/options.h"
#include "utils/shared/tool.h"

namespace op::tool {

/// Options every report command takes, as given.
struct CommonOptions {
    std::string session_dir, root, vmlinux, threshold;
    std::string debuginfod;  ///< server addresses; empty = those of the environment
    std::vector<std::string> image_paths, verbose;

    /// Rows for CommandSyntax; they point into this object.
    std::vector<Option> table();
    /// Throws a usage error on an unknown class of --verbose.
    void check() const;
    /// True if --verbose asks for that class or for all.
    bool says(std::string_view what) const;
};

/// A percentage from 0 to 100; empty = 0. Throws a usage error that names the range.
double parse_threshold(const std::string& text);

/// The value of --demangle. Throws a usage error that names the values.
pp::Demangle parse_demangle(const std::string& text);

/// The sessions a command reports on, opened; nothing is read but manifests.
struct OpenedSessions {
    pp::ProfileSpec spec;
    std::vector<SessionReader> sessions;
    std::vector<std::vector<RecordedEvent>> events;  ///< of each session; none if it has no manifest
    std::optional<SessionInfo> info;                 ///< of all sessions that have a manifest, joined
    std::optional<uint64_t>
        accounted;  ///< samples stored in all of them, if all say so and none is being recorded
    pp::ImageFinder finder;

    /// The kernel symbols recorded with the sessions; empty if none were.
    std::string kallsyms(Diagnostics& notes) const;
};

/// Parses the profile specification and opens its sessions, after a daemon that records into their directory
/// was asked to bring its samples there (best effort, at most two seconds). Tells on stderr which samples
/// directory is used if it was not given. Adds warnings about lost samples to the tool's notes. Throws as the
/// parts do.
OpenedSessions open_specified_sessions(const CommonOptions& options, const std::vector<std::string>& words,
                                       Tool& tool);

}  // namespace op::tool
