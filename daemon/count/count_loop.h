// SPDX-License-Identifier: GPL-2.0-or-later
// The loop of counting without sampling: wait for the end, read at intervals.
#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include "daemon/count/counter_rows.h"
#include "daemon/run/child_process.h"
#include "daemon/run/stop_signal.h"
#include "daemon/run/stopping.h"

namespace op::collect {

/// What was counted in some time.
struct CountBlock {
    std::chrono::nanoseconds duration{};  ///< by the clock on the wall
    std::vector<CountRow> rows;
};

/// When to tell what was counted.
struct CountIntervals {
    std::chrono::milliseconds length{};  ///< 0 = once, at the end
    uint64_t number = 0;                 ///< after so many counting ends; 0 = never
};

/// What counting works with. Everything outlives it.
struct Counting {
    CounterSource& source;
    StopSignals& signals;
    std::function<void(const CountBlock&)> sink;  ///< gets each block as soon as its time is over
    CountSeparation separation = CountSeparation::none;
    CountIntervals intervals = {};
    ChildProcess* command = nullptr;    ///< program to release and watch; null = none
    std::function<bool()> has_ended{};  ///< whether all that is counted is gone; empty = never
    Now now = std::chrono::steady_clock::now;
};

/// Starts the source, counts until the command or the tasks end, a stop signal comes or the intervals are
/// over; then the command is ended, too. What signals do to the command is Stopping's. The last block covers
/// what remains of an interval that was not full. Throws what the source, the sink and ChildProcess::release
/// throw.
StopReason count_events(const Counting& counting);

}  // namespace op::collect
