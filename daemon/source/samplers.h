// SPDX-License-Identifier: GPL-2.0-or-later
// The events of a session that are derived from the samples of one sampler. Does not open or read the
// sampler.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "daemon/source/ibs_decode.h"
#include "libop/events/event_encoding.h"
#include "libop/session/session_info.h"
#include "libop/stream/record.h"

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

/// Appends, for each event that the sample is, a copy of it with the event's number and weight: maybe none. A
/// Lost record if `raw`, what the sampler recorded, is cut off. S: Sample or PlacedSample.
template <class S>
void derive_samples(const Sampling& sampling, std::span<const std::byte> raw, S sample,
                    std::vector<Record>& out);

/// The same for its throttling: of all events.
void derive_throttles(const Sampling& sampling, const Throttle& throttle, std::vector<Record>& out);

}  // namespace op::collect
