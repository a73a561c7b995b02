// SPDX-License-Identifier: GPL-2.0-or-later
// The events that can be sampled here, as `opcontrol --list-events --xml` lists them, and which of them fit
// together.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libop/events/counter_alloc.h"

class QByteArray;

namespace op::gui {

/// One value of an event's unit mask.
struct ListedMask {
    std::string word;  ///< as opcontrol takes it: the name if there is one, else the number
    uint64_t value = 0;
    std::string description;
};

struct ListedEvent {
    std::string name, description;
    uint64_t minimum_count = 0;
    CounterMask counters;  ///< none = it takes no counter
    std::vector<ListedMask> masks;
    std::string default_mask;
    bool is_exclusive = true;  ///< one mask only; else any union of them
};

/// The events of a listing. Throws an input error if it is no such XML.
std::vector<ListedEvent> parse_event_list(const QByteArray& xml);

/// True if all of `chosen` can be counted together.
bool fit_together(const std::vector<const ListedEvent*>& chosen);
/// The names of those of `chosen` without which `candidate` would fit: "A, B"; empty if it fits as it is.
std::string conflicts_of(const ListedEvent& candidate, const std::vector<const ListedEvent*>& chosen);

/// The count that the window proposes: that of about a thousand samples a second for the clock and cycles,
/// and at least the minimum.
uint64_t proposed_count(const ListedEvent& event);

}  // namespace op::gui
