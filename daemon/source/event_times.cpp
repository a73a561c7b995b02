// SPDX-License-Identifier: GPL-2.0-or-later
// From readings of all descriptors to times of events.
#include "daemon/source/event_times.h"

#include <algorithm>
#include <utility>

namespace op::collect {
namespace {

uint64_t difference(uint64_t after, uint64_t before) {
    return after > before ? after - before : 0;
}

std::map<uint16_t, CountedTime> sums_of(std::span<const ClockReading> readings, uint64_t switching) {
    std::map<std::pair<uint16_t, uint32_t>, CountedTime> owners;
    for (const ClockReading& reading : readings) {
        CountedTime& time = owners[{reading.event, reading.owner}];
        time.enabled = std::max(time.enabled, reading.time.enabled);
        time.running = add_saturating(time.running, reading.time.running);
    }
    std::map<uint16_t, CountedTime> sums;
    for (const auto& [key, time] : owners) {
        const bool has_all = difference(time.enabled, time.running) <= switching;
        const uint64_t enabled = std::max(time.enabled, time.running);
        sums[key.first] += {enabled, has_all ? enabled : time.running};
    }
    return sums;
}

}  // namespace

std::vector<EventTime> EventTimes::advance(std::span<const ClockReading> readings, uint64_t switching) {
    std::vector<EventTime> times;
    for (const auto& [event, sum] : sums_of(readings, switching)) {
        CountedTime& seen = returned_[event];
        const CountedTime more{difference(sum.enabled, seen.enabled), difference(sum.running, seen.running)};
        seen += more;
        if (more != CountedTime{}) times.push_back({event, more});
    }
    return times;
}

}  // namespace op::collect
