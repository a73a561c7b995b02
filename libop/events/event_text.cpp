// SPDX-License-Identifier: GPL-2.0-or-later
// Events in words.
#include "libop/events/event_text.h"

namespace op {

namespace {

/// The entry of the set with the number that a sample file holds; if several share the number, the one of
/// that name. Null if the number is a union of several entries.
const UnitMaskEntry* find_entry(const UnitMaskSet& set, uint64_t stored, std::string_view name) {
    const UnitMaskEntry* found = nullptr;
    for (const UnitMaskEntry& entry : set.entries) {
        if (UnitMaskChoice{entry.value, entry.extra, entry.name}.stored() != stored) continue;
        if (entry.name == name) return &entry;
        if (!found) found = &entry;
    }
    return found;
}

}  // namespace

std::optional<EventText> describe_event(const EventCatalogue& catalogue, std::string_view name,
                                        uint64_t unit_mask, std::string_view unit_mask_name) {
    std::optional<EventText> text;
    for (const CatalogueEvent& event : catalogue.events) {
        if (event.name != name) continue;
        if (const UnitMaskEntry* entry = find_entry(*event.unit_masks, unit_mask, unit_mask_name))
            return EventText{event.description, entry->description};
        if (!text) text = EventText{event.description, "multiple flags"};
    }
    return text;
}

}  // namespace op
