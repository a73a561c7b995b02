// SPDX-License-Identifier: GPL-2.0-or-later
// Measures what recording costs.
#pragma once

#include <functional>

#include "libop/session/recorder_cpu.h"

namespace op::collect {

/// Returns the processor time that the recorder has used and the time that has elapsed, both since some
/// moment before the first call. Empty: what it costs is not measured.
using RecorderClock = std::function<RecorderCpu()>;

/// The clock of this process: its processor time since it began, and the time since the call. Its children do
/// not count: one is the profiled program, others read the maps of processes with code made at run time.
RecorderClock own_recorder_clock();

}  // namespace op::collect
