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
        processes,  ///< running processes with all threads, and the threads and children they make
        threads,    ///< these threads alone
        cpus,       ///< everything on these CPUs
    };
    Kind kind = Kind::command;
    std::vector<pid_t> tasks;
    std::vector<uint32_t> cpus;  ///< CPUs that are on
};

/// Counts of what a task makes later are added to the counter of that task.
class PerfCounters final : public CounterSource {
public:
    /// Opens all counters. `notes` is told if kernel mode has to be left out. Threads that ended meanwhile
    /// are left out. Throws a usage error for an event that this machine cannot count, or not in that way,
    /// and a system error that explains another refusal and its remedy.
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

/// Gives readings of counters that waited the longest `enabled` of their task and CPU, whose counters are all
/// enabled together: of an event that waits when its task ends the kernel leaves out that last wait (seen on
/// Linux 6.1: 2.8 of 97 ms). `readings` are parallel to `keys`.
void complete_waits(const std::vector<CounterKey>& keys, std::vector<CounterReading>& readings);

/// True if this machine counts the event for a process in user mode. What another refusal means is left to
/// PerfCounters.
bool is_countable_here(const CountedEvent& event);

}  // namespace op::collect
