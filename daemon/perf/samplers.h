// SPDX-License-Identifier: GPL-2.0-or-later
// The events of a session that are derived from the samples of one sampler. Does not open or read the
// sampler.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "daemon/perf/ibs_decode.h"
#include "libop/events/event_encoding.h"
#include "libop/session/session_info.h"

namespace op::collect {

/// An event whose samples are derived from those of a sampler.
struct DerivedEvent {
    uint16_t event;  ///< index into the session's events
    const IbsEvent* how;
    bool kernel, user;  ///< modes in which it counts
};
/// A sampler that is opened as one event, and what is derived from it.
struct Sampling {
    uint16_t opened;  ///< index into the session's events
    Sampler sampler;
    std::vector<DerivedEvent> events;
};

/// The event that is opened for event `i`: the first of its sampler, itself if it has a counter.
size_t opened_for(const std::vector<EventEncoding>& encodings, size_t i);

/// The samplers of a session, whose events have those encodings. Throws a usage error for an event that is
/// not known to be derived.
std::vector<Sampling> samplings_of(const std::vector<RecordedEvent>& events,
                                   const std::vector<EventEncoding>& encodings);

}  // namespace op::collect
