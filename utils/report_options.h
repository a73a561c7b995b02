// SPDX-License-Identifier: GPL-2.0-or-later
// The options that all report commands have, and opening the sessions that they report on.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libop/session/session.h"
#include "libop/session/session_info.h"
#include "libpp/object/demangle.h"
#include "libpp/profile/profile_spec.h"
#include "libpp/profile/select.h"
#include "libpp/symbols/image_finder.h"
#include "utils/shared/options.h"
#include "utils/shared/tool.h"

namespace op::tool {

/// The options that every report command has, as given.
struct CommonOptions {
    std::string session_dir, root, vmlinux, threshold;
    std::string debuginfod;  ///< server addresses; empty = those of the environment
    std::vector<std::string> image_paths, verbose;
    bool no_sandbox = false;      ///< keep all rights while foreign files are read
    bool trust_path = false;      ///< use the symbols of a file of another build
    bool notes_all = false;       ///< also on a terminal, see are_notes_few()
    bool is_dir_in_head = false;  ///< the report's head names a default session directory, so no line does

    /// Rows for CommandSyntax; they point into this object.
    std::vector<Option> table();
    /// Throws a usage error on an unknown class of --verbose.
    void check() const;
    /// True if --verbose asks for that class or for all.
    bool is_verbose(std::string_view what) const;
    /// True if notes go to a terminal, and not all of them are asked for.
    bool are_notes_few() const;
    /// So many images that lack symbols are noted: two where notes are few, else all.
    size_t most_missing() const;
};

/// A percentage from 0 to 100; empty = 0. Throws a usage error that names the range.
double parse_threshold(const std::string& text);

/// The value of --demangle. Throws a usage error that names the values.
pp::Demangle parse_demangle(const std::string& text);

/// The demangling options, in the spellings of all versions: --demangle=HOW, a bare -D or --smart-demangle
/// for "smart", --no-demangle for "none".
struct DemangleOptions {
    std::optional<std::string> how;
    bool is_given = false, none = false, smart = false;

    /// Rows for CommandSyntax; they point into this object.
    std::vector<Option> table();
    /// The mode asked for. `words` are those of the command line: a path or tag that follows a bare -D
    /// becomes their first. Throws a usage error on an unknown value and if two spellings contradict each
    /// other.
    pp::Demangle mode(std::vector<std::string>& words) const;
    /// True if names are to be whole on a terminal, however long they are: "full", else as "normal".
    bool is_full() const;
};

/// The opened sessions that a command reports on. Only manifests have been read.
struct OpenedSessions {
    pp::ProfileSpec spec;
    std::vector<SessionReader> sessions;
    std::vector<std::vector<RecordedEvent>> events;  ///< of each session; none if it has no manifest
    std::optional<SessionInfo> info;                 ///< of all sessions that have a manifest, joined
    std::optional<uint64_t>
        accounted;  ///< samples stored in all sessions; none if one lacks that number or is being recorded
    pp::ImageFinder finder;
    std::string default_dir;  ///< of the samples, as it is shown; empty = the user named one

    /// The kernel symbols recorded with the sessions; empty if none were.
    std::string kallsyms(Diagnostics& notes) const;
};

/// Asks a daemon that records into the directory of a profile specification's sessions to write its samples:
/// best effort, at most two seconds. False if it did not answer. Throws a usage error if the specification is
/// wrong, an input error if it names an archive that does not exist.
bool flush_daemon_of(const CommonOptions& options, const std::vector<std::string>& words);

/// Parses the profile specification and opens its sessions. Prints on stderr which samples directory is used
/// if none was given. Adds warnings about lost samples to the tool's notes. Throws as these steps do.
OpenedSessions open_specified_sessions(const CommonOptions& options, const std::vector<std::string>& words,
                                       Tool& tool);

}  // namespace op::tool
