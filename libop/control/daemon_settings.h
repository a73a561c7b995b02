// SPDX-License-Identifier: GPL-2.0-or-later
// The settings of system-wide profiling that opcontrol keeps between its runs: a file of KEY=value lines
// ("daemonrc") in the classic format. It is data: nothing in it is ever executed or expanded. Does not know
// the file's place and permissions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libop/control/separation.h"

namespace op {

/// The value of `vmlinux` for no kernel image.
inline constexpr const char* vmlinux_none = "none";
/// The characters that values may contain, for messages.
inline constexpr const char* setting_characters = "A-Z a-z 0-9 _ : , . / @ -";
/// The greatest number of events that can be chosen at once.
inline constexpr size_t most_chosen_events = 24;

/// All settings. The defaults describe a machine where nothing has been set up.
struct DaemonSettings {
    std::vector<std::string> events;  ///< specifications as given; none = the CPU's default event
    Separation separation;
    std::string session_dir;                    ///< absolute; empty = the default one
    std::string vmlinux;                        ///< absolute, or vmlinux_none; empty = not chosen yet
    std::string image_filter;                   ///< comma list of binaries; empty = all
    std::string kernel_range;                   ///< START,END in hex; empty = found out
    uint64_t callgraph = 0;                     ///< callers recorded with a sample; 0 = none
    uint64_t callgraph_files = 0;               ///< 1: pairs of caller and callee are written, too
    uint64_t buffer_size = 0;                   ///< words; 0 = the driver's default, as the next two
    uint64_t buffer_watershed = 0;              ///< words
    uint64_t cpu_buffer_size = 0;               ///< samples
    uint64_t pid_filter = 0;                    ///< process id; 0 = all processes, as the next
    uint64_t pgrp_filter = 0;                   ///< process group
    std::string rotate, keep, max_disk;         ///< words of rotation_settings.h; empty = off
    std::map<std::string, std::string> others;  ///< keys this version does not know, kept as they are

    bool operator==(const DaemonSettings&) const = default;
};

/// True if text may be a value: setting_characters only, at most 4096 of them.
bool is_setting_value(std::string_view text) noexcept;

/// Parses the file. Blank lines and lines that begin with '#' are skipped; if a key is given twice, the later
/// value is used. Throws an input error "LABEL:LINE: ..." for a line that is not KEY=value, a value with
/// characters that is_setting_value does not allow, a malformed number, and a count of events that does not
/// fit the events in the file.
DaemonSettings parse_daemon_settings(std::span<const std::byte> file, std::string_view label);

/// The settings as the text of such a file, which parses to the same settings. Throws a usage error for a
/// value with characters that is_setting_value does not allow.
std::string to_text(const DaemonSettings& settings);

}  // namespace op
