// SPDX-License-Identifier: GPL-2.0-or-later
// Ctrl-C and its kin as something to poll for.
#pragma once

#include <signal.h>

#include <initializer_list>

#include "libop/base/fd.h"

namespace op::collect {

/// From its making on, SIGINT, SIGTERM, SIGHUP and SIGQUIT (and what else is named) do not end the process
/// but are read from here; nor do SIGXFSZ and SIGPIPE: a write beyond the file size limit (EFBIG), or to a
/// pipe that nobody reads (EPIPE), just fails. They stay blocked when it is gone: impatient repetitions of
/// Ctrl-C must not change the outcome of a process that is about to end.
class StopSignals {
public:
    /// Throws a system error.
    explicit StopSignals(std::initializer_list<int> further = {});
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;

    int fd() const noexcept { return fd_.get(); }
    /// The signal mask as it was, for children.
    const sigset_t& old_mask() const noexcept { return old_; }

    struct Received {
        int number = 0;              ///< 0 = none
        bool from_terminal = false;  ///< the foreground process group got it too
    };
    /// Takes one received signal; does not wait.
    Received take() noexcept;
    /// True if SIGINT, SIGTERM or SIGQUIT waits to be taken, or SIGHUP where that means "stop", too.
    static bool is_stop_pending(bool hangup_stops) noexcept;

private:
    sigset_t old_{};
    Fd fd_;
};

}  // namespace op::collect
