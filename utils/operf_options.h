// SPDX-License-Identifier: GPL-2.0-or-later
// Parses and checks the options of operf.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libop/control/rotation_settings.h"

namespace op::tool {

/// What operf was called with. After parse() they do not contradict each other.
struct RecordOptions {
    bool system_wide = false, callgraph = false, separate_thread = false, separate_cpu = false;
    bool append = false, lazy = false, callgraph_files = false, no_children = false;
    std::optional<uint64_t> stack_size;  ///< bytes
    std::vector<std::string> events, verbose, command;
    std::vector<pid_t> pids;  ///< processes to attach to, each once
    std::optional<std::string> unwind;
    std::string session_dir, vmlinux, rotate, keep, max_disk;

    /// Returns the exit status after help, version or a bad option. Throws a usage error for options that
    /// contradict each other, a system error for a process or command that cannot be found.
    std::optional<int> parse(int argc, char** argv);

    RotationSettings rotation() const { return parse_rotation(rotate, keep, max_disk); }
    bool has_unwind_tables() const { return !unwind || *unwind == "tables"; }
    bool is_verbose(const char* what) const;
};

}  // namespace op::tool
