// SPDX-License-Identifier: GPL-2.0-or-later
// Opening the events of a session and the side band, one descriptor each a CPU and task. A CPU has a ring for
// samples and a smaller one for its side band: what overflows one costs nothing of the other. Reads no
// record.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "daemon/perf/event_cpus.h"
#include "daemon/perf/perf_features.h"
#include "daemon/perf/perf_ring.h"
#include "daemon/source/kernel_map.h"
#include "daemon/source/stack_copies.h"
#include "libop/base/diagnostics.h"
#include "libop/base/fd.h"
#include "libop/events/event_encoding.h"
#include "libop/session/session_info.h"

namespace op::collect {

/// What to sample.
struct PerfTarget {
    enum class Kind {
        command,  ///< a child that has not called exec yet; sampling begins when it does
        process,  ///< running processes with all their threads
        system,   ///< everything
    };
    Kind kind = Kind::command;
    std::vector<pid_t> pids = {};  ///< of the child or the processes
    /// Descendants that the processes have already are sampled, too, as far as they may be looked into. Later
    /// ones always are.
    bool with_descendants = false;
};

/// The processes to be sampled as of now: those of the target, then the descendants that belong to it.
std::vector<pid_t> sampled_processes(const PerfTarget& target);

struct PerfOptions {
    PerfTarget target;
    bool callgraph = false;
    uint32_t stack_bytes = 0;  ///< copied of the user stack of each sample, with callgraph; see PerfRequest
    uint32_t larger_stack_bytes = 0;       ///< copied at first, and again when wished; 0 = never
    std::vector<EventEncoding> encodings;  ///< one per event of the session
    NamedKernel kernel;                    ///< the kernel's images as the user named them
    KallsymsCopy* kallsyms = nullptr;      ///< gets the kernel's symbols; may be null
    size_t ring_bytes = size_t{1} << 19;   ///< wanted room for samples per CPU, a power of two; shrinks to
                                           ///< what is allowed
    std::function<bool()> is_stopping;     ///< asked while the start takes its time: true cuts it short; may
                                           ///< be empty
};

/// An event of a task or of all tasks, on one CPU.
struct OpenedEvent {
    Fd fd;
    uint64_t id;                    ///< in its records, if there are several events
    uint16_t number;                ///< index into the session's events; UINT16_MAX = the side band
    uint32_t owner;                 ///< see ClockReading
    bool has_larger_stack = false;  ///< one of those that are on instead of the others
};

/// A CPU's ring and the events that write to it; the first one owns it.
struct OpenedCpu {
    uint32_t cpu;
    std::vector<OpenedEvent> events;
    std::optional<PerfRing> ring;  ///< there until it is handed over
};

/// All descriptors of a session, off until they are switched on.
struct OpenedEvents {
    std::vector<OpenedCpu> cpus;       ///< those with samples
    std::vector<OpenedCpu> side_band;  ///< all
    PerfFeatures features;             ///< as far as the kernel has them
    uint64_t sample_type = 0;          ///< of every record, as perf_event_open(2) defines it
    std::vector<size_t> opened_for;    ///< by event: the one whose descriptors give its samples
    size_t ring_bytes = 0;             ///< room for samples per CPU that the kernel granted
    bool has_larger_stacks = false;    ///< there are events with larger copies of stacks
    bool begins_larger = false;        ///< those are on first
    uint32_t stack_bytes = 0;          ///< what is copied of each stack: less than wanted if rings are small
};

/// Room for the side band of a CPU beside a ring for samples, bytes: a quarter, as records of the side band
/// are rare, but at least what a hundred processes that start in one moment write.
size_t side_band_bytes(size_t ring_bytes);

/// Opens the events, sampling off. A feature that the kernel or its settings refuse is left out, with a note
/// if it shows in the samples. Throws a system error whose text explains the refusal and the remedy, also for
/// an event of which nothing would be seen without kernel samples that are not permitted.
OpenedEvents open_events(const PerfOptions& options, const std::vector<RecordedEvent>& events,
                         Diagnostics& notes);

}  // namespace op::collect
