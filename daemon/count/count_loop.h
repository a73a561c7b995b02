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

/// The counts of one interval, or of the whole time.
struct CountBlock {
    std::chrono::nanoseconds duration{};  ///< wall-clock time
    std::vector<CountRow> rows;
};

/// When counts are reported.
struct CountIntervals {
    std::chrono::milliseconds length{};  ///< 0 = once, at the end
    uint64_t number = 0;                 ///< counting ends after this many intervals; 0 = no limit
};

/// The parameters of count_events(). All references must stay valid until it returns.
struct Counting {
    CounterSource& source;
    StopSignals& signals;
    std::function<void(const CountBlock&)> sink;  ///< gets each block as soon as its time is over
    CountSeparation separation = CountSeparation::none;
    CountIntervals intervals = {};
    ChildProcess* command = nullptr;    ///< program to release and watch; null = none
    std::function<bool()> has_ended{};  ///< true once all counted tasks have ended; empty = never
    Now now = std::chrono::steady_clock::now;
};

/// Starts the source and counts until the command or the tasks end, a stop signal comes, or the intervals are
/// over; in the last case the command is ended, too. Stopping handles signals for the command. The last block
/// covers the part of an interval that has passed. Throws what the source, the sink and ChildProcess::release
/// throw.
StopReason count_events(const Counting& counting);

}  // namespace op::collect
