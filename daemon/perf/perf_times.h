// SPDX-License-Identifier: GPL-2.0-or-later
// How long each event of a perf session was counted, and when that is reported. Opens nothing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "daemon/perf/perf_features.h"
#include "daemon/perf/perf_open.h"
#include "daemon/source/event_times.h"
#include "libop/stream/record.h"

namespace op::collect {

/// What all descriptors report at one moment.
struct EventReadings {
    std::vector<ClockReading> clocks;
    std::vector<uint64_t> lost;  ///< by CPU as opened: samples that found no room, 0 where that is unknown
};

/// Reads all descriptors. Each reading interrupts the CPU that it is of.
EventReadings read_events(std::span<const OpenedCpu> cpus, const PerfFeatures& features);

/// Turns readings into EventTime records. All times are in ns of one clock.
class PerfTimes {
public:
    /// `opened_for`: see OpenedEvents.
    explicit PerfTimes(std::vector<size_t> opened_for) : opened_for_(std::move(opened_for)) {}

    /// Sampling begins: times are due a second from now.
    void begin(uint64_t now) noexcept;
    bool due(uint64_t now) const noexcept { return now >= due_; }
    /// Times were read from `began` to `ended`. They are due again after a second, but so late that reading
    /// takes no more than about a hundredth of the time.
    void reported(uint64_t began, uint64_t ended) noexcept;
    /// See EventTimes::advance(); adds up.
    void add_switching(uint64_t time) noexcept { switching_ += time; }

    /// How long each event was counted since the last call. Events that come from the same samples have the
    /// same time.
    std::vector<EventTime> advance(std::span<const ClockReading> clocks);

private:
    std::vector<size_t> opened_for_;
    EventTimes times_;
    uint64_t due_ = 0, switching_ = 0;
};

}  // namespace op::collect
