// SPDX-License-Identifier: GPL-2.0-or-later
// Lists of events: as text for people, as XML for programs. The layouts are the classic ones.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "libop/events/event_catalogue.h"

namespace op::tool {

/// Events of a catalogue, in its order.
using EventList = std::vector<const CatalogueEvent*>;

/// All of a catalogue's events.
EventList all_events(const EventCatalogue& catalogue);
/// Those that mention all the words in their names, descriptions or unit masks, in capitals or not.
EventList search_events(const EventCatalogue& catalogue, std::span<const std::string> words);

/// Where the events of that model are described in full: one sentence, or nothing.
std::string listing_reference(const EventCatalogue& catalogue);
/// What stands above the list of all events of a model.
std::string listing_head(const EventCatalogue& catalogue);
/// Each event with what can be asked of it; minimum counts are `count_factor` times as high. With headings
/// where the origin changes.
std::string listing_text(const EventCatalogue& catalogue, const EventList& events, uint64_t count_factor);
/// The whole document, schema version 2.0.
std::string listing_xml(const EventCatalogue& catalogue, const EventList& events, uint64_t count_factor);

}  // namespace op::tool
