// SPDX-License-Identifier: GPL-2.0-or-later
// Becoming a background process: a parent that waits until the daemon works, and the daemon.
#pragma once

#include <sys/types.h>

#include <optional>

#include "libop/base/fd.h"

namespace op::collect {

/// Splits the process in two, so that the starter can report what cannot be opened.
class Background {
public:
    /// With `foreground` nothing is split. Throws a system error.
    explicit Background(bool foreground);

    /// In the parent: waits; 0 once the daemon works, else the daemon's exit status (1 if it was killed). In
    /// the daemon, or in the foreground: none.
    std::optional<int> parent_status();
    /// In the daemon: it works. Leaves terminal and directory; the parent ends. Throws a system error if the
    /// parent is gone: then nobody waits for this daemon.
    void ready();

private:
    pid_t child_ = 0;  ///< in the parent
    Fd pipe_;          ///< the parent's reading end, the daemon's writing end
};

}  // namespace op::collect
