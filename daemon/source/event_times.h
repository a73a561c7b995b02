// SPDX-License-Identifier: GPL-2.0-or-later
// How long events were counted, from what their descriptors say. Does not read descriptors.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "libop/stream/record.h"

namespace op::collect {

/// What a descriptor's clocks show since it was opened.
struct ClockReading {
    uint16_t event;  ///< index into the session's events
    /// Whose time `enabled` is: a CPU's if everything on it is sampled, else a task's, of which each CPU has
    /// a descriptor.
    uint32_t owner;
    CountedTime time;
};

/// Makes differences of readings.
class EventTimes {
public:
    /// For every event whose time went on what it was counted since the last call; `readings` are of all
    /// descriptors.
    ///
    /// A task's descriptors for all CPUs are all enabled as long as the task runs, wherever that is, but each
    /// runs only while the task is on its CPU (seen on Linux 6.18, in no manual). So the task's time is the
    /// longest of theirs, and it was counted for the sum of theirs. One that did not run lately is told of
    /// late, so that the sum may be the longer.
    ///
    /// It is the shorter by what a task ran on a CPU whose descriptor was not yet switched on, or already
    /// off. `switching`: how long that took for all descriptors, one after the other; no more than that
    /// missing is no time in which an event waited for a counter.
    std::vector<EventTime> advance(std::span<const ClockReading> readings, uint64_t switching = 0);

private:
    std::map<uint16_t, CountedTime> told_;
};

}  // namespace op::collect
