// SPDX-License-Identifier: GPL-2.0-or-later
// What perf_event_open is asked for. perf_event_open(2) is the source of every constant.
#pragma once

#include <linux/perf_event.h>
#include <sys/types.h>

#include "libop/event_encoding.h"
#include "libop/fd.h"
#include "libop/session_info.h"

namespace op::collect {

/// What this kernel and user may use; taken away one by one when the kernel refuses.
struct PerfFeatures {
    bool kernel_mode = true;  ///< perf_event_paranoid allows kernel samples
    bool lost_count = true;   ///< PERF_FORMAT_LOST (6.0)
    bool build_id = true;     ///< build-ids in MMAP2 (5.12)
    bool precise = true;      ///< precise_ip as the encoding has it
};

/// How events are opened.
struct PerfRequest {
    bool callgraph = false;
    bool enable_on_exec = false;  ///< else enabled by ioctl
    bool several_events = false;  ///< records carry the event's id
};

/// The attribute for one event, which `encoding` says how to ask for. The `leader` also reports mappings,
/// names, forks and exits.
perf_event_attr make_attr(const RecordedEvent& event, const EventEncoding& encoding, bool leader,
                          const PerfRequest& request, const PerfFeatures& features);

/// perf_event_open(2); empty with errno set on failure.
Fd perf_event_open(perf_event_attr& attr, pid_t pid, int cpu) noexcept;

/// True if this machine counts `event`, false if it has no counter for it (probed on the calling process,
/// user mode only). Throws a system error, as PerfSource would, if it may well have one and something else is
/// in the way.
bool perf_event_works(const RecordedEvent& event, const EventEncoding& encoding);
/// False if the kernel offers no hardware counters, as in most virtual machines; true also if it may not be
/// asked.
bool has_hardware_counters();
/// What the errno value of a refused perf_event_open, maybe of a sampler, says of that: false, or a system
/// error thrown.
bool is_countable(int error, bool is_sampler = false);

}  // namespace op::collect
