// SPDX-License-Identifier: GPL-2.0-or-later
// Reading clocks of descriptors, and how often.
#include "daemon/perf/perf_times.h"

#include <algorithm>

#include "daemon/perf/perf_attr.h"

namespace op::collect {
namespace {

constexpr uint64_t interval = 1'000'000'000;
constexpr uint64_t share = 100;  ///< of the time that reading may take, one part

}  // namespace

EventReadings read_events(std::span<const OpenedCpu> cpus, const PerfFeatures& features) {
    EventReadings readings;
    for (const OpenedCpu& cpu : cpus) {
        uint64_t lost = 0;
        for (const OpenedEvent& event : cpu.events) {
            const auto reading = read_event(event.fd, features);
            if (!reading) continue;
            lost += reading->lost;
            readings.clocks.push_back({event.number, event.owner, {reading->enabled, reading->running}});
        }
        readings.lost.push_back(lost);
    }
    return readings;
}

void PerfTimes::begin(uint64_t now) noexcept {
    due_ = now + interval;
}

void PerfTimes::reported(uint64_t began, uint64_t ended) noexcept {
    due_ = ended + std::max(interval, share * (ended - began));
}

std::vector<EventTime> PerfTimes::advance(std::span<const ClockReading> clocks) {
    std::vector<EventTime> times;
    for (const EventTime& opened : times_.advance(clocks, switching_))
        for (size_t i = 0; i < opened_for_.size(); ++i)
            if (opened_for_[i] == opened.event) times.push_back({static_cast<uint16_t>(i), opened.time});
    return times;
}

}  // namespace op::collect
