// SPDX-License-Identifier: GPL-2.0-or-later
// What stop signals do to a command that runs for us.
#pragma once

#include <chrono>
#include <functional>

#include "daemon/run/child_process.h"
#include "daemon/run/stop_signal.h"

namespace op::collect {

/// The clock.
using Now = std::function<std::chrono::steady_clock::time_point()>;

/// Why a recording or counting ended. `ended_before`: the attached process was gone by the time it began;
/// `intervals_over`: all requested intervals have been reported.
enum class StopReason { program_ended, interrupted, ended_before, intervals_over };

/// A stop signal is passed on to the command unless its terminal sent it already; if the command is not gone
/// two seconds later, or a second signal comes, it is killed. Everything given outlives the object.
class Stopping {
public:
    /// `command` may be null.
    Stopping(ChildProcess* command, StopSignals& signals, const Now& now)
        : command_(command), signals_(signals), now_(now) {}

    /// Acts on a signal that came and on the time that passed; to be called often. Does not wait.
    void watch();
    /// Asks the command to end, as if SIGTERM had come, but that counts as no interruption.
    void end_command();

    bool interrupted() const noexcept { return interrupted_; }
    StopReason reason() const noexcept {
        return interrupted_ ? StopReason::interrupted : StopReason::program_ended;
    }

private:
    void pass_on(int number, bool has_it);

    ChildProcess* command_;
    StopSignals& signals_;
    const Now& now_;
    bool interrupted_ = false, asked_ = false;
    std::chrono::steady_clock::time_point kill_at_ =
        std::chrono::steady_clock::time_point::max();  ///< of a command that was asked to end
};

}  // namespace op::collect
