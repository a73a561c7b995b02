// SPDX-License-Identifier: GPL-2.0-or-later
// How often an event occurs, for people who do not know which count suits it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "libop/events/event_encoding.h"
#include "libop/session/session_info.h"

namespace op::collect {

/// What an event did for a moment.
struct EventRate {
    uint64_t events = 0;
    uint64_t time = 0;  ///< ns of CPU time in which it was counted
};

/// The count that gives about a thousand samples a second at that rate: two digits and zeros, at least
/// `minimum`. None if the event did not occur.
std::optional<uint64_t> count_for(const EventRate& rate, uint64_t minimum);

/// Counts the event for a tenth of a second in a running process, the sum of its threads, or, with pid 0, in
/// this one while it does work of all kinds for that long: memory is walked and branches go either way. Of a
/// process with more threads than files may be open here, only so many are counted: events and time are both
/// of the same threads. Kernel mode is counted only if the event wants that and it is permitted. None if the
/// event cannot be counted.
std::optional<EventRate> measure_event(const RecordedEvent& event, const EventEncoding& encoding, pid_t pid);

}  // namespace op::collect
