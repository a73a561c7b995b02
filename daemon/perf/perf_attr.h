// SPDX-License-Identifier: GPL-2.0-or-later
// What perf_event_open is asked for. perf_event_open(2) is the source of every constant.
#pragma once

#include <linux/perf_event.h>
#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "daemon/perf/perf_features.h"
#include "libop/base/fd.h"
#include "libop/events/event_encoding.h"
#include "libop/session/session_info.h"

namespace op::collect {

/// How events are opened.
struct PerfRequest {
    bool callgraph = false;
    bool enable_on_exec = false;  ///< else enabled by ioctl
    bool several_events = false;  ///< records carry the event's id
    uint32_t stack_bytes = 0;   ///< of the user stack in each sample, a multiple of 8 below 65,528; 0 = none
    uint32_t wakeup_bytes = 0;  ///< with stacks: what wakes the reader; 0 = half of the ring
};

/// The attribute for the samples of one event, encoded by `encoding`.
perf_event_attr make_attr(const RecordedEvent& event, const EventEncoding& encoding,
                          const PerfRequest& request, const PerfFeatures& features);
/// The attribute for the side band: an event that counts nothing and reports mappings, names, forks and
/// exits. Its records end with the same fields as those of make_attr() with the same request.
perf_event_attr make_side_band_attr(const PerfRequest& request, const PerfFeatures& features);

/// What a descriptor opened with one of them gives, in the order of perf_event_open(2), "Reading results".
struct PerfReading {
    uint64_t value = 0, enabled = 0, running = 0, id = 0;
    uint64_t lost = 0;  ///< records that found no room in the ring; 0 if the kernel does not count them
};
/// Reads an event opened with `features`; none if the kernel returns no data, as for an event in error state.
std::optional<PerfReading> read_event(const Fd& event, const PerfFeatures& features) noexcept;

/// perf_event_open(2); empty with errno set on failure.
Fd perf_event_open(perf_event_attr& attr, pid_t pid, int cpu) noexcept;

}  // namespace op::collect
