// SPDX-License-Identifier: GPL-2.0-or-later
// Remarks on the events of a report: the modes they were counted in, counts that are scaled.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "libop/session/counted_time.h"
#include "libop/session/session_info.h"
#include "libpp/profile/arrange.h"

namespace op::pp {

/// An event whose counts are scaled, of one session.
struct ScaledEvent {
    std::string session;  ///< its name; empty if there is one session only
    std::string event;
    uint64_t count = 0, unit_mask = 0;
    CountedTime time = {};

    bool operator==(const ScaledEvent&) const = default;
};

/// The scaled events of a column, each once.
using ScaledEvents = std::vector<ScaledEvent>;

/// Remarks on the events of the columns, each a sentence without its full stop: events that were not counted
/// in both modes (by `info`, which may be null), and scaled events with their factors. `scaled` has one
/// element per column, or is empty if nothing is scaled.
std::vector<std::string> report_footnotes(std::span<const ProfileClass> columns, const SessionInfo* info,
                                          std::span<const ScaledEvents> scaled);

/// For each column, how long its scaled events were counted in total; 0 without scaled events. Empty if
/// `scaled` is empty.
std::vector<CountedTime> scaled_times(std::span<const ScaledEvents> scaled);

}  // namespace op::pp
