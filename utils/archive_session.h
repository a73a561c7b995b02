// SPDX-License-Identifier: GPL-2.0-or-later
// The files of a session that an archive gets. Whoever owns the session may have put anything there: nothing
// below it is followed, and only what a session has is taken.
#pragma once

#include <functional>
#include <string>

#include "libop/base/diagnostics.h"
#include "libop/base/fd.h"
#include "libop/session/session.h"

namespace op::tool {

/// One file of a session, opened for reading.
struct SessionFile {
    Fd file;
    std::string path;    ///< on this machine
    std::string target;  ///< in the archive
    uint64_t size = 0;   ///< when it was checked; what its owner adds is not taken
};

/// Throws an input error if a session was reached through a symbolic link of a stranger's, in place of
/// samples/ or of the session itself: what it leads to is somebody else's. Links of root's and the user's own
/// pass.
void check_session_place(const SessionReader& session);

using TakeSessionFile = std::function<void(const SessionFile&)>;

/// Calls `take` with each file of a session that has no samples: manifest, kernel symbols, call stacks,
/// statistics, logs, `abi`. What is not of these names, or for what take_sample_file() leaves out a sample
/// file, is left out with a note; kept binaries are, without one. Throws a system error if a directory cannot
/// be read, and what `take` throws.
void take_session_files(const SessionReader& session, Diagnostics& notes, const TakeSessionFile& take);

/// Calls `take` with the sample file at a path below the session. What is not a regular file, too large,
/// reached through a symbolic link, or private of another owner than its directory and with a second name is
/// left out with a note. Throws what `take` throws.
void take_sample_file(const SessionReader& session, const std::string& path, Diagnostics& notes,
                      const TakeSessionFile& take);

}  // namespace op::tool
