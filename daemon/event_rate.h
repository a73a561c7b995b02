// SPDX-License-Identifier: GPL-2.0-or-later
// How often an event occurs, for people who do not know which count suits it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "libop/event_encoding.h"
#include "libop/session_info.h"

namespace op::collect {

/// What an event did for a moment.
struct EventRate {
    uint64_t events = 0;
    uint64_t time = 0;  ///< ns in which it was counted
};

/// The count that gives about a thousand samples a second at that rate: two digits and zeros, at least
/// `minimum`. None if the event did not occur.
std::optional<uint64_t> count_for(const EventRate& rate, uint64_t minimum);

/// Counts the event in a running process for a tenth of a second, or, with pid 0, in this one while it does
/// work of all kinds for that long: memory is walked and branches go either way. Kernel mode is counted only
/// if the event wants that and it is permitted. None if the event cannot be counted.
std::optional<EventRate> measure_event(const RecordedEvent& event, const EventEncoding& encoding, pid_t pid);

}  // namespace op::collect
