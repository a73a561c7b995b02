// SPDX-License-Identifier: GPL-2.0-or-later
// Counters from perf_event_open: one for each event, and task or CPU.
#pragma once

#include <sys/types.h>

#include <vector>

#include "daemon/count/choose_counted.h"
#include "daemon/count/counter_rows.h"
#include "libop/base/diagnostics.h"
#include "libop/base/fd.h"

namespace op::collect {

/// Whose events are counted.
struct CountTarget {
    enum class Kind {
        command,    ///< a child that has not called exec yet; counting begins when it does
        processes,  ///< running processes with all threads, and the threads and children they create
        threads,    ///< these threads alone
        cpus,       ///< everything on these CPUs
    };
    Kind kind = Kind::command;
    std::vector<pid_t> tasks;
    std::vector<uint32_t> cpus;  ///< online CPUs
};

/// The counts of threads and children that a task creates are added to that task's counter.
class PerfCounters final : public CounterSource {
public:
    /// Opens all counters. Adds a warning to `notes` if kernel mode cannot be counted. Skips threads that
    /// ended meanwhile. Throws a usage error for an event that this machine cannot count, or not in that way,
    /// and a system error with the reason and the remedy for any other refusal.
    PerfCounters(const CountTarget& target, const std::vector<CountedEvent>& events, Diagnostics& notes);

    const std::vector<CounterKey>& counters() const override { return keys_; }
    void start() override;
    void stop() override;
    std::vector<CounterReading> read() override;

private:
    void open_all(const std::vector<CountedEvent>& events, bool kernel_mode, Diagnostics& notes);
    void open_tasks(const std::vector<CountedEvent>& events, const std::vector<pid_t>& tasks,
                    bool kernel_mode);
    void open(const CountedEvent& event, const CounterKey& key, bool kernel_mode);
    void set(unsigned long request, const char* what);

    CountTarget target_;
    std::vector<CounterKey> keys_;
    std::vector<Fd> fds_;  ///< parallel to keys_
};

/// Sets `enabled` of counters that waited to the maximum of their task and CPU, whose counters are all
/// enabled together. If an event waits for a counter when its task ends, the kernel does not count that last
/// wait (observed on Linux 6.1: 2.8 of 97 ms). `readings` are parallel to `keys`.
void complete_waits(const std::vector<CounterKey>& keys, std::vector<CounterReading>& readings);

/// True if this machine counts the event for a process in user mode. PerfCounters explains any other
/// refusal.
bool is_countable_here(const CountedEvent& event);

}  // namespace op::collect
