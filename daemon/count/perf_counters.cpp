// SPDX-License-Identifier: GPL-2.0-or-later
// Opening and reading counters. perf_event_open(2) is the source of the rules followed here: no groups, since
// events of a group are counted all at once or not at all, and could not be multiplexed.
#include "daemon/count/perf_counters.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <utility>

#include "daemon/perf/perf_attr.h"
#include "daemon/perf/perf_errors.h"
#include "daemon/source/attach.h"
#include "daemon/source/machine.h"
#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libop/events/software_events.h"

namespace op::collect {
namespace {

using Kind = CountTarget::Kind;

perf_event_attr counting_attr(const CountedEvent& event, Kind kind, bool kernel_mode) {
    perf_event_attr attr{};
    attr.size = sizeof attr;
    attr.type = event.encoding.type;
    attr.config = event.encoding.config;
    attr.config1 = event.encoding.config1;
    attr.config2 = event.encoding.config2;
    attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    attr.disabled = 1;
    attr.enable_on_exec = kind == Kind::command;
    attr.inherit = kind == Kind::command || kind == Kind::processes;
    attr.exclude_kernel = !event.spec.kernel || !kernel_mode;
    attr.exclude_hv = attr.exclude_kernel;
    attr.exclude_user = !event.spec.user;
    return attr;
}

bool is_refused(int error) {
    return error == EACCES || error == EPERM;
}

std::string of_event(const CountedEvent& event) {
    return "event '" + event.label + "': ";
}

[[noreturn]] void fail(const CountedEvent& event, const CounterKey& key, int error) {
    if (is_unsupported(error))
        throw_usage(of_event(event) +
                    "this machine cannot count it: the kernel offers no such counter, as in " +
                    "most virtual machines; what can be counted: " + always_countable());
    if (error == EINVAL && key.task)
        throw_usage(of_event(event) +
                    "the kernel does not count it for single tasks; --system-wide or --cpu-list may do");
    if (error == EINVAL) throw_usage(of_event(event) + "the kernel refuses to count it in that form");
    const auto task = static_cast<int>(key.task.value_or(0));
    throw Error(ErrorKind::system, explain_perf_error(perf_situation(error, !key.task, task)), error);
}

/// Throws for an event that user mode alone would show as 0.
void check_without_kernel(const std::vector<CountedEvent>& events, const std::string& paranoid) {
    const auto needs_it = std::ranges::find_if(
        events, [](const CountedEvent& e) { return is_kernel_only(e.encoding, e.spec.user); });
    if (needs_it == events.end()) return;
    throw Error(ErrorKind::system,
                of_event(*needs_it) + "it occurs in the kernel, where counting is not permitted: " +
                    "kernel.perf_event_paranoid is " + paranoid + "; run as root, or as root set it to 1",
                EACCES);
}

[[noreturn]] void fail_elsewhere(const CountedEvent& event) {
    std::vector<std::string> cpus;
    for (const uint32_t cpu : event.cpus.value())
        cpus.push_back(std::to_string(cpu));
    throw_usage(of_event(event) + "none of these CPUs counts it, but CPU " + short_list(cpus) + " may do");
}

}  // namespace

PerfCounters::PerfCounters(const CountTarget& target, const std::vector<CountedEvent>& events,
                           Diagnostics& notes)
    : target_(target) {
    note_made_up_machine(notes);
    try {
        open_all(events, true, notes);
    } catch (const Error& error) {
        if (!is_refused(error.code()) || target_.kind == Kind::cpus) throw;
        open_all(events, false, notes);  // if this fails, its error is the more specific one
        const std::string paranoid = perf_situation(EACCES, false, 0).paranoid;
        check_without_kernel(events, paranoid);
        notes.warn("what happens in the kernel is left out: kernel.perf_event_paranoid is " + paranoid +
                   "; run as root, or as root set it to 1");
    }
    if (fds_.empty())
        throw Error(ErrorKind::system, "what was to be counted ended before counting was started", ESRCH);
}

void PerfCounters::open_all(const std::vector<CountedEvent>& events, bool kernel_mode, Diagnostics& notes) {
    if (target_.kind != Kind::processes) return open_tasks(events, target_.tasks, kernel_mode);
    const auto open = [&](const std::vector<pid_t>& threads) { open_tasks(events, threads, kernel_mode); };
    if (!open_for_threads([this] { return target_.tasks; }, open))
        notes.warn("threads are started all the time; those that are started just now are counted in part");
}

void PerfCounters::open_tasks(const std::vector<CountedEvent>& events, const std::vector<pid_t>& tasks,
                              bool kernel_mode) {
    keys_.clear();
    fds_.clear();
    for (uint32_t i = 0; i < events.size(); ++i) {
        for (const pid_t task : tasks)
            open(events[i], {i, static_cast<uint32_t>(task), {}}, kernel_mode);
        for (const uint32_t cpu : target_.cpus)
            if (counts_on(events[i].cpus, cpu)) open(events[i], {i, {}, cpu}, kernel_mode);
        const bool is_missing = keys_.empty() || keys_.back().event != i;
        if (is_missing && !target_.cpus.empty()) fail_elsewhere(events[i]);
    }
}

void PerfCounters::open(const CountedEvent& event, const CounterKey& key, bool kernel_mode) {
    perf_event_attr attr = counting_attr(event, target_.kind, kernel_mode);
    const pid_t task = key.task ? static_cast<pid_t>(*key.task) : -1;
    Fd fd = perf_event_open(attr, task, key.cpu ? static_cast<int>(*key.cpu) : -1);
    if (!fd) {
        const int error = errno;
        const bool is_gone = key.task && target_.kind != Kind::command && is_ending(task);
        if (is_gone) return;
        fail(event, key, error);
    }
    keys_.push_back(key);
    fds_.push_back(std::move(fd));
}

void PerfCounters::set(unsigned long request, const char* what) {
    for (const Fd& fd : fds_)
        if (::ioctl(fd.get(), request, 0) != 0) throw_system(what);
}

void PerfCounters::start() {
    if (target_.kind != Kind::command) set(PERF_EVENT_IOC_ENABLE, "cannot start counting");
}

void PerfCounters::stop() {
    set(PERF_EVENT_IOC_DISABLE, "cannot stop counting");
}

std::vector<CounterReading> PerfCounters::read() {
    static_assert(sizeof(CounterReading) == 3 * sizeof(uint64_t));  // what read_format asks for, in its order
    std::vector<CounterReading> readings;
    for (const Fd& fd : fds_) {
        CounterReading& reading = readings.emplace_back();
        if (::read(fd.get(), &reading, sizeof reading) != sizeof reading)
            throw_system("cannot read a counter");
    }
    complete_waits(keys_, readings);
    return readings;
}

void complete_waits(const std::vector<CounterKey>& keys, std::vector<CounterReading>& readings) {
    std::map<std::pair<std::optional<uint32_t>, std::optional<uint32_t>>, uint64_t> longest;
    for (size_t i = 0; i < keys.size(); ++i) {
        uint64_t& most = longest[{keys[i].task, keys[i].cpu}];
        most = std::max(most, readings[i].enabled);
    }
    for (size_t i = 0; i < keys.size(); ++i)
        if (readings[i].running < readings[i].enabled)
            readings[i].enabled = longest[{keys[i].task, keys[i].cpu}];
}

bool is_countable_here(const CountedEvent& event) {
    perf_event_attr attr = counting_attr(event, Kind::threads, false);
    attr.exclude_user = 0;
    return perf_event_open(attr, 0, -1) || !is_unsupported(errno);
}

}  // namespace op::collect
