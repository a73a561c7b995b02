// SPDX-License-Identifier: GPL-2.0-or-later
// The loop of a recording: drain the source, watch the profiled program and the stop signals.
#pragma once

#include <functional>
#include <span>

#include "daemon/command.h"
#include "daemon/sample_source.h"
#include "daemon/stop_signal.h"

namespace op::collect {

/// What a recording works with. Everything outlives it.
struct Recording {
    SampleSource& source;
    StopSignals& signals;
    std::function<void(std::span<const Record>)> sink;  ///< gets every record, in order
    std::function<void()>
        checkpoint;              ///< called about once a minute, so that a crash costs little; may be empty
    Command* command = nullptr;  ///< program to release and watch; null = none
    pid_t attached = 0;          ///< running process to watch; 0 = none
};

/// Why it ended.
enum class StopReason { program_ended, interrupted };

/// Starts the source, records until the program ends or a stop signal comes, stops the source and drains it.
/// A stop signal is passed on to the command unless its terminal sent it already; if the command is not gone
/// two seconds later, or a second signal comes, it is killed. Throws what the source, the sink and
/// Command::release throw.
StopReason record(const Recording& recording);

/// Drains the source into the sink until it gives nothing more.
void drain_into(SampleSource& source, const std::function<void(std::span<const Record>)>& sink);

}  // namespace op::collect
