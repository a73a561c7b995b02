// SPDX-License-Identifier: GPL-2.0-or-later
// The loop of a recording: drain the source, watch the profiled program and the stop signals.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "daemon/run/child_process.h"
#include "daemon/run/stop_signal.h"
#include "daemon/run/stopping.h"
#include "daemon/source/sample_source.h"
#include "libop/base/diagnostics.h"

namespace op::collect {

/// What a recording works with. Everything outlives it.
struct Recording {
    SampleSource& source;
    StopSignals& signals;
    Diagnostics& notes;
    std::function<void(std::span<const Record>)> sink;  ///< gets every record, in order
    std::function<void()>
        checkpoint;  ///< called about once a minute, so that a crash costs little; may be empty; if it
                     ///< throws an Error that is noted and the recording goes on
    ChildProcess* command = nullptr;  ///< program to release and watch; null = none
    std::vector<int> attached = {};   ///< pidfds of running processes: recording ends with the last of them
    Now now = std::chrono::steady_clock::now;
    std::function<void()> round = {};  ///< called about once a second; may be empty; may throw as checkpoint
};

/// Starts the source, records until the program or the last attached process ends, or a stop signal comes,
/// stops the source and drains it. What a stop signal does to the command is Stopping's. Throws what the
/// source, the sink and ChildProcess::release throw.
StopReason record(const Recording& recording);

/// Waits until the command ends; one still held back is ended. Stop signals do what they do while recording.
StopReason await_end(ChildProcess& command, StopSignals& signals,
                     const Now& now = std::chrono::steady_clock::now);

/// Drains the source into the sink until it gives nothing more.
void drain_into(SampleSource& source, const std::function<void(std::span<const Record>)>& sink);

}  // namespace op::collect
