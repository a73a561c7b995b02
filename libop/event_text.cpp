// SPDX-License-Identifier: GPL-2.0-or-later
// Events in words.
#include "libop/event_text.h"

namespace op {

namespace {

/// The entry of the set that a sample file's number stands for, or null if it is a union of several.
const UnitMaskEntry* find_entry(const UnitMaskSet& set, uint64_t stored) {
    for (const UnitMaskEntry& entry : set.entries)
        if (UnitMaskChoice{entry.value, entry.extra, entry.name}.stored() == stored) return &entry;
    return nullptr;
}

}  // namespace

std::optional<EventText> describe_event(const EventCatalogue& catalogue, std::string_view name,
                                        uint64_t unit_mask) {
    std::optional<EventText> text;
    for (const CatalogueEvent& event : catalogue.events) {
        if (event.name != name) continue;
        if (const UnitMaskEntry* entry = find_entry(*event.unit_masks, unit_mask))
            return EventText{event.description, entry->description};
        if (!text) text = EventText{event.description, "multiple flags"};
    }
    return text;
}

}  // namespace op
