// SPDX-License-Identifier: GPL-2.0-or-later
// Descriptions of the events in sample files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "libop/events/event_catalogue.h"

namespace op {

/// The descriptions of an event and its unit mask.
struct EventText {
    std::string description;
    std::string unit_mask;  ///< "No unit mask" where the event has none

    bool operator==(const EventText&) const = default;
};

/// Describes an event with a unit mask as sample files hold it; the name chooses between equal unit masks.
/// None if the catalogue has no such event.
std::optional<EventText> describe_event(const EventCatalogue& catalogue, std::string_view name,
                                        uint64_t unit_mask, std::string_view unit_mask_name = {});

}  // namespace op
