// SPDX-License-Identifier: GPL-2.0-or-later
// Measuring how often an event occurs.
#include "daemon/perf/perf_rate.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <vector>

#include "daemon/perf/perf_attr.h"
#include "daemon/source/proc_scan.h"
#include "libop/base/clock.h"

namespace op::collect {
namespace {

constexpr uint64_t samples_per_second = 1000, second = 1'000'000'000, moment = second / 10;
/// What the classic driver's counters take, so that commands with a count that was picked here do there, too.
constexpr uint64_t greatest_picked = INT32_MAX;

/// Something of everything a program does, for that many ns. The sum keeps the compiler from leaving it out.
uint64_t work(uint64_t length) {
    std::vector<uint32_t> memory(size_t{1} << 20);
    uint64_t sum = 0;
    uint32_t random = 1;
    for (const uint64_t end = monotonic_ns() + length; monotonic_ns() < end;)
        for (int i = 0; i < 10000; ++i) {
            random = random * 1664525 + 1013904223;
            uint32_t& cell = memory[random >> 12];
            cell += random;
            sum += cell & 0x100 ? cell / (random | 1) : cell;
        }
    return sum;
}

void wait(uint64_t length) {
    const timespec t{0, static_cast<long>(length)};
    ::nanosleep(&t, nullptr);
}

/// Counters of the event that run, not samplers, one for each task as long as that can be; empty if it cannot
/// be counted in that mode.
std::vector<Fd> open_counters(const RecordedEvent& event, const EventEncoding& encoding,
                              std::span<const pid_t> tasks, bool kernel_mode) {
    perf_event_attr attr = make_attr(event, encoding, {}, {.kernel_mode = kernel_mode, .lost_count = false});
    attr.sample_period = 0;
    attr.sample_type = 0;
    attr.disabled = 0;
    attr.precise_ip = 0;
    attr.read_format = PERF_FORMAT_TOTAL_TIME_RUNNING;
    std::vector<Fd> counters;
    for (const pid_t task : tasks) {
        if (Fd fd = perf_event_open(attr, task, -1))
            counters.push_back(std::move(fd));
        else if (errno != ESRCH)  // ESRCH: the thread has ended
            break;
    }
    return counters;
}

/// The threads of a process; of this one the only one there is.
std::vector<pid_t> tasks_of(pid_t pid) {
    if (pid == 0) return {0};
    const auto threads = threads_of(static_cast<uint32_t>(pid));
    return {threads.begin(), threads.end()};
}

EventRate sum_of(std::span<const Fd> counters) {
    EventRate sum;
    for (const Fd& fd : counters) {
        struct {
            uint64_t value, time_running;
        } counted{};
        if (::read(fd.get(), &counted, sizeof counted) != sizeof counted) continue;
        sum.events += counted.value;
        sum.time += counted.time_running;
    }
    return sum;
}

}  // namespace

std::optional<uint64_t> count_for(const EventRate& rate, uint64_t minimum) {
    if (rate.events == 0 || rate.time == 0) return std::nullopt;
    const double wanted =
        static_cast<double>(rate.events) / static_cast<double>(rate.time) * second / samples_per_second;
    uint64_t count =
        wanted < static_cast<double>(greatest_picked) ? static_cast<uint64_t>(wanted + 0.5) : greatest_picked;
    uint64_t unit = 1;
    while (count / unit >= 100)
        unit *= 10;
    count = (count + unit / 2) / unit * unit;
    return std::max({std::min(count, greatest_picked), minimum, uint64_t{1}});
}

std::optional<EventRate> measure_event(const RecordedEvent& event, const EventEncoding& encoding, pid_t pid) {
    const std::vector<pid_t> tasks = tasks_of(pid);
    auto counters = open_counters(event, encoding, tasks, true);
    if (counters.empty()) counters = open_counters(event, encoding, tasks, false);
    if (counters.empty()) return std::nullopt;
    if (pid != 0)
        wait(moment);
    else
        work(moment);
    return sum_of(counters);
}

}  // namespace op::collect
