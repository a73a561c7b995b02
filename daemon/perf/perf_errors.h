// SPDX-License-Identifier: GPL-2.0-or-later
// What a refusal of perf_event_open means for a person: the knob, its value, the remedy.
#pragma once

#include <string>

namespace op::collect {

/// True for the errno values of perf_event_open that mean that there is no such counter, or no PMU.
bool is_unsupported(int error) noexcept;

/// What explains a refusal, gathered from the system so that the wording can be tested.
struct PerfSituation {
    int error = 0;  ///< errno of perf_event_open
    bool system_wide = false;
    bool root = false;
    std::string paranoid;    ///< value of kernel.perf_event_paranoid; empty = no such file
    bool seccomp = false;    ///< a system call filter is on
    int pid = 0;             ///< process attached to, 0 = none
    bool ibs = false;        ///< an event of AMD's samplers, which leave no mode out
    std::string event = {};  ///< the requested event; empty = unknown
};

/// The present situation.
PerfSituation perf_situation(int error, bool system_wide, int pid);

/// One line: what happened, why, what to do.
std::string explain_perf_error(const PerfSituation& situation);

}  // namespace op::collect
