// SPDX-License-Identifier: GPL-2.0-or-later
// Figures of a run. The clock's event begins a whole period with each task (seen on Linux 6.18).
#include "daemon/run/run_times.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>

#include "libop/base/counted.h"
#include "libop/base/text.h"
#include "libop/events/event_table.h"
#include "libop/session/event_label.h"

namespace op::collect {
namespace {

constexpr uint64_t second = 1'000'000'000;
/// Less than this is noise: ticks that CPU time is measured in, a late interrupt.
constexpr uint64_t least_gap = second / 20;
/// Samples that an average task should have: it loses half a period on average.
constexpr uint64_t wanted_samples = 10;
/// Shorter runs are hardly profiled for what they wait for.
constexpr uint64_t least_wait = second / 2;
constexpr std::string_view switches_event = "context-switches";
/// Nor is one part of so many of the time a gap.
constexpr uint64_t least_gap_share = 100;
/// The kernel closes the events of a task some time before it ends: 60 us on a fast machine, and 0.3 us for
/// each page of memory that is freed after that (Linux 6.18).
constexpr uint64_t longest_end = second / 1000, longest_page = 1000;
/// It stops and starts them within a switch of tasks, all of whose time is the tasks': 3 to 7 us from and to
/// an idle CPU of a virtual machine (Linux 6.18; dd with oflag=dsync, grep in files that are on disk).
constexpr uint64_t longest_switch = 20'000;

uint64_t nanoseconds(const timeval& time) {
    return static_cast<uint64_t>(time.tv_sec) * second + static_cast<uint64_t>(time.tv_usec) * 1000;
}

std::string seconds(uint64_t time) {
    char text[40];
    std::snprintf(text, sizeof text, "%.2f s", static_cast<double>(time) / second);
    return text;
}

/// The greatest of 1, 2, 5, 10, 20, 50 … that is not above `n`; 0 for 0.
uint64_t round_down(uint64_t n) {
    uint64_t power = 1;
    while (n / 10 >= power)
        power *= 10;
    const uint64_t digit = n / power;
    return (digit >= 5 ? 5 : digit >= 2 ? 2 : digit) * power;
}

/// In the modes that the event counts.
uint64_t sampled_modes(const CpuTime& cpu, const RecordedEvent& event, bool kernel_mode) {
    return (event.user ? cpu.user : 0) + (event.kernel && kernel_mode ? cpu.kernel : 0);
}

std::string why_left_out(std::span<const std::string> names, const std::string& tool) {
    const std::string what = "rights of their own (set-user-ID, capabilities)";
    const std::string remedy = "; as root, " + tool + " --system-wide includes them";
    if (names.empty())
        return "perhaps that of programs that have " + what +
               " or cannot be read, which the kernel leaves out" + remedy;
    return "the kernel left out " + joined(names) + ", as all programs that have " + what +
           " or cannot be read" + remedy;
}

std::string switches_text(uint64_t switches) {
    return "the kernel's work for " + counted(switches, "switch", "switches") +
           " of tasks, within which it stops and starts events";
}

}  // namespace

ChildrenUsage ChildrenUsage::since(const ChildrenUsage& before) const noexcept {
    return {{cpu.user - before.cpu.user, cpu.kernel - before.cpu.kernel},
            page_faults - before.page_faults,
            switches - before.switches};
}

ChildrenUsage children_usage() noexcept {
    rusage usage{};
    ::getrusage(RUSAGE_CHILDREN, &usage);
    return {{nanoseconds(usage.ru_utime), nanoseconds(usage.ru_stime)},
            static_cast<uint64_t>(usage.ru_minflt) + static_cast<uint64_t>(usage.ru_majflt),
            static_cast<uint64_t>(usage.ru_nvcsw) + static_cast<uint64_t>(usage.ru_nivcsw)};
}

std::string run_figures(const SessionInfo& run, const RunTimes& times) {
    std::string text;
    if (times.cpu) text = "CPU time " + seconds(times.cpu->user + times.cpu->kernel) + ", ";
    text += "wall time " + seconds(times.wall);
    if (times.wall == 0) return text;
    const double rate = static_cast<double>(run.ledger.sampled()) * second / static_cast<double>(times.wall);
    return text + ", " + counted(static_cast<uint64_t>(rate + 0.5), "sample") + " a second";
}

std::optional<std::string> unsampled_note(const SessionInfo& run, const RunTimes& times) {
    if (!times.cpu || run.events.size() != 1 || run.events.front().name != timer_event) return std::nullopt;
    const RecordedEvent& event = run.events.front();
    const uint64_t used = sampled_modes(*times.cpu, event, times.kernel_mode);
    const uint64_t sampled = run.ledger.sampled() * event.count;
    if (event.throttled || used < sampled + sampled / 4 || used < sampled + least_gap) return std::nullopt;
    const uint64_t minimum =
        find_event(timer_event)->minimum_count * (times.callgraph ? callgraph_count_factor : 1);
    const uint64_t count =
        std::max(minimum, round_down(used / std::max<uint64_t>(times.tasks, 1) / wanted_samples));
    if (count >= event.count) return std::nullopt;  // its tasks are long enough: the cause is another
    return "only " + seconds(sampled) + " of " + seconds(used) + " of CPU time was sampled: " +
           (times.tasks > 1 ? "most of " + std::to_string(times.tasks) + " processes and threads"
                            : "the process") +
           " ended before a sample of them was due; " + "--events " + event_label(timer_event, count) +
           " samples nearly all";
}

std::optional<std::string> waiting_note(const SessionInfo& run, const RunTimes& times) {
    if (!times.cpu || !times.idle || times.wall < least_wait) return std::nullopt;
    uint64_t used = times.cpu->user + times.cpu->kernel;
    for (const RecordedEvent& event : run.events) {
        if (event.name == switches_event) return std::nullopt;
        // Of programs that nobody has waited for the samples alone are known.
        if (run.events.size() == 1 && is_clock(event.name))
            used = std::max(used, run.ledger.sampled() * event.count);
    }
    if (used >= times.wall / 2) return std::nullopt;
    if (*times.idle < (times.wall - used) / 2) return std::nullopt;
    return "the program waited " + std::to_string((times.wall - used) * 100 / times.wall) +
           " % of the time; to see where" + (times.kernel_mode ? "" : ", as root") + ": operf --events " +
           event_label(switches_event, 1) +
           " --callgraph PROGRAM, then opreport --call-tree (by number of waits)";
}

uint64_t covered_time(const SessionInfo& run) noexcept {
    uint64_t longest = 0;
    for (const RecordedEvent& event : run.events)
        longest = std::max(longest, event.time.enabled);
    return longest;
}

std::optional<std::string> uncovered_note(const Coverage& time, std::span<const std::string> names,
                                          const std::string& tool) {
    const uint64_t gap = time.used - std::min(time.used, time.covered);
    if (gap < least_gap || gap < time.used / least_gap_share) return std::nullopt;
    if (gap / longest_end < time.tasks) return std::nullopt;
    const uint64_t unexplained = gap - time.tasks * longest_end, of_faults = time.faults * longest_page;
    if (unexplained < of_faults) return std::nullopt;
    const bool is_of_switches = names.empty() && unexplained < of_faults + time.switches * longest_switch;
    return seconds(gap) + " of " + seconds(time.used) + " of CPU time is missing: " +
           (is_of_switches ? switches_text(time.switches) : why_left_out(names, tool));
}

}  // namespace op::collect
