// SPDX-License-Identifier: GPL-2.0-or-later
// How long events were counted, computed from readings of their descriptors. Does not read descriptors.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "libop/stream/record.h"

namespace op::collect {

/// A descriptor's clocks since it was opened.
struct ClockReading {
    uint16_t event;  ///< index into the session's events
    /// The CPU or task whose time `enabled` is: the CPU if everything on it is sampled, else the task, which
    /// has a descriptor on each CPU.
    uint32_t owner;
    CountedTime time;
};

/// Computes the differences between readings.
class EventTimes {
public:
    /// Returns the time since the last call for each event whose time has advanced. `readings` contains all
    /// descriptors.
    ///
    /// A task's descriptors for all CPUs are all enabled as long as the task runs on any CPU, but each one
    /// runs only while the task is on its CPU (observed on Linux 6.18, not documented). So the task's enabled
    /// time is the maximum over its descriptors, and its running time is their sum. The kernel updates a
    /// descriptor that did not run lately late, so the sum may exceed the maximum.
    ///
    /// The sum is smaller by the time in which the task ran on a CPU whose descriptor was not yet switched
    /// on, or was already off. `switching` is the time that this took for all descriptors, one after another.
    /// If no more than that is missing, the event did not wait for a counter.
    std::vector<EventTime> advance(std::span<const ClockReading> readings, uint64_t switching = 0);

private:
    std::map<uint16_t, CountedTime> returned_;  ///< sums of all calls, by event
};

}  // namespace op::collect
