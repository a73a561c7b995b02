// SPDX-License-Identifier: GPL-2.0-or-later
// Gives up the rights that parsing foreign files does not need (doc/adr/0015-the-sandbox.md).
#pragma once

#include <string>
#include <vector>

#include "libop/base/diagnostics.h"

namespace op::tool {

/// What a command still does after it has gone into the sandbox.
struct SandboxNeeds {
    std::vector<std::string> writable_dirs = {};  ///< existing ones, below which it writes its results
    bool moves_dirs = false;            ///< renames and removes directories there, as a session's writer does
    bool keeps_times = false;           ///< its results get the times of what they are copies of
    bool runs_programs = false;         ///< starts programs, which are in the sandbox as well
    std::vector<int> descriptors = {};  ///< open for writing and still used, above the standard ones
};

/// The parts of the sandbox that this kernel does not have, or that are denied here, with what is not
/// restricted for want of them; empty if nothing is.
std::string missing_sandbox_parts(const SandboxNeeds& needs);

/// From now on this process can read files, write below the directories given and to what is open, and little
/// else: see restrict_files() and forbid_calls(). It gets no new privileges, of root's it keeps reading all
/// files (and, if there are directories, writing in those that others own), it leaves no core file, its
/// memory is limited (see limits.h), and inherited descriptors are closed that can be written to. There is no
/// way back. Parts that are missing are left out, which a note reports once a day; a part that is there and
/// fails becomes a note.
void enter_sandbox(const SandboxNeeds& needs, Diagnostics& notes);

}  // namespace op::tool
