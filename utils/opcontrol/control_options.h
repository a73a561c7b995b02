// SPDX-License-Identifier: GPL-2.0-or-later
// opcontrol's command line: at most one action, settings, and their valid combinations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libop/control/daemon_settings.h"
#include "libop/control/rotation_settings.h"
#include "utils/shared/options.h"

namespace op::tool {

/// The action of opcontrol; none = only settings are given.
enum class ControlAction {
    none,
    init,
    status,
    start_daemon,
    start,
    dump,
    stop,
    shutdown,
    reset,
    save,
    rotate,
    deinit,
    list_events,
    set_timers,
};

/// The command line as parsed, before it is checked.
struct ControlOptions {
    bool init = false, setup = false, status = false, start_daemon = false, start = false, dump = false;
    bool stop = false, shutdown = false, reset = false, deinit = false, list_events = false;
    bool xml = false;  ///< of list_events
    std::optional<std::string> save, module, model, root_dir;
    std::vector<std::string> timers;  ///< as given
    std::optional<uint64_t> timer_period;

    bool sets_timers() const { return !timers.empty() || timer_period; }
    // Settings.
    std::vector<std::string> events, separate;
    std::optional<std::string> vmlinux, session_dir, image, kernel_range, pid_filter, pgrp_filter;
    std::optional<std::string> rotate, keep, max_disk;  ///< rotate may also be the action `now`
    bool no_vmlinux = false;
    std::optional<uint64_t> callgraph, callgraph_files, buffer_size, buffer_watershed, cpu_buffer_size;
    // The daemon's log.
    bool is_verbose = false;
    std::vector<std::string> verbose;

    bool rotates_now() const { return rotate == rotate_now; }
    /// True if any setting is given.
    bool has_settings() const;
};

/// The table of options; its targets are in `options`.
CommandSyntax control_syntax(ControlOptions& options);

/// The action, after checking that it is the only one and fits the other options. Throws a usage error.
ControlAction chosen_action(const ControlOptions& options);

/// Applies the settings of the command line to `settings`. Makes paths absolute and checks that an image file
/// exists and is an uncompressed kernel. Throws a usage error that names the option; `settings` is then
/// partly changed.
void apply_settings(const ControlOptions& options, DaemonSettings& settings);

}  // namespace op::tool
