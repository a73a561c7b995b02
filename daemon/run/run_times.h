// SPDX-License-Identifier: GPL-2.0-or-later
// How much time a run took and how much of it was sampled. Reads rusage; prints nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "libop/session/session_info.h"

namespace op::collect {

/// Processor time, ns.
struct CpuTime {
    uint64_t user = 0, kernel = 0;
};

/// What the children that have ended and been waited for used, with their children that they waited for
/// (getrusage(2), RUSAGE_CHILDREN).
struct ChildrenUsage {
    CpuTime cpu;
    uint64_t page_faults = 0;
    uint64_t switches = 0;  ///< of CPUs from one of their tasks to another task, wanted or not

    /// Without what was used `before`: a process keeps what its children have used when it calls exec.
    ChildrenUsage since(const ChildrenUsage& before) const noexcept;
};
/// That of this process until now.
ChildrenUsage children_usage() noexcept;

/// What is known of a run when it has ended.
struct RunTimes {
    uint64_t wall = 0;                  ///< ns
    std::optional<CpuTime> cpu = {};    ///< of the profiled command; none if no command was profiled
    std::optional<uint64_t> idle = {};  ///< of the CPUs it may use meanwhile, ns; none if not known
    uint64_t tasks = 1;                 ///< processes and threads of the command
    bool kernel_mode = true;            ///< kernel mode was sampled
    bool callgraph = false;             ///< call chains were recorded, so that counts have a higher minimum
};

/// "CPU time 4.81 s, wall time 5.02 s, 958 samples a second", the last of wall time; without what is not
/// known.
std::string run_figures(const SessionInfo& run, const RunTimes& times);

/// A line for a run of short tasks: most of them ended before the clock's first sample of them was due, so
/// that clearly less time was sampled than was used. It has the count that samples nearly all. None if the
/// samples account for the time, or the run had another event than TIMER, whose period is no time.
std::optional<std::string> unsampled_note(const SessionInfo& run, const RunTimes& times);

/// A line for a command that waited for more than half of its time, so that none of its threads ran: it has
/// the command that samples where. None for runs of less than half a second, for those that sampled that, and
/// where it may have waited for a CPU, as those that it may use were hardly idle meanwhile, or that is not
/// known. A command that a control group allows less time than its CPUs have (cpu.max) is taken for one that
/// waited.
std::optional<std::string> waiting_note(const SessionInfo& run, const RunTimes& times);

/// How much of a command's processor time its events covered, counted or waiting for a counter.
struct Coverage {
    uint64_t used = 0, covered = 0;  ///< ns
    uint64_t tasks = 1;              ///< no fewer than the processes and threads of the command
    uint64_t faults = 0;             ///< page faults of the command
    uint64_t switches = 0;           ///< ChildrenUsage::switches of the command
};

/// The longest time that an event of the run covered, ns.
uint64_t covered_time(const SessionInfo& run) noexcept;

/// A line for a command of which clearly less time was covered than it used, and less than the ends of its
/// tasks explain: it started programs that may not be profiled with it, those of `names` as of
/// UnprofiledPrograms, or, without such names, it switched so often. None if the time is accounted for.
/// `tool` is the command that root may run.
std::optional<std::string> uncovered_note(const Coverage& time, std::span<const std::string> names,
                                          const std::string& tool);

}  // namespace op::collect
