// SPDX-License-Identifier: GPL-2.0-or-later
// Makes a session of recordings of other profilers.
#pragma once

#include <string>
#include <vector>

#include "daemon/import/importers.h"
#include "utils/shared/tool.h"

namespace op::tool {

/// What is imported and how.
struct ImportRequest {
    std::string session_dir;         ///< made if it is not there
    std::vector<std::string> files;  ///< recordings, in this order
    std::string from;                ///< the kind of all of them; empty = each by its first bytes
    std::string kallsyms;            ///< /proc/kallsyms of the recorded machine; empty = not at hand
    std::string jit_dir;             ///< with jitdumps and perf maps of recorded processes; empty = not named
    bool append = false;             ///< add to samples/current
    bool callgraph_files = false;    ///< also pairs of caller and callee
    bool no_sandbox = false;
    collect::ImportOptions kind;
};

/// Imports the recordings and prints an account of each. What reads them is in the sandbox and can write only
/// below the session directory. Returns the exit status: 0 if all were imported. Throws if no file was.
int import_session(Tool& tool, const ImportRequest& request);

}  // namespace op::tool
