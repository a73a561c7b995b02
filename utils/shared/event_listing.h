// SPDX-License-Identifier: GPL-2.0-or-later
// Lists of events: as text for people, as XML for programs, in the classic layouts.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "libop/events/event_catalogue.h"

namespace op::tool {

/// Events of a catalogue, in its order.
using EventList = std::vector<const CatalogueEvent*>;

/// All events of a catalogue.
EventList all_events(const EventCatalogue& catalogue);
/// The events whose names, descriptions or unit masks contain all the words, in upper or lower case.
EventList search_events(const EventCatalogue& catalogue, std::span<const std::string> words);

/// A sentence that names the manual describing the model's events; empty if none is known.
std::string listing_reference(const EventCatalogue& catalogue);
/// The heading of the list of all events of a model.
std::string listing_head(const EventCatalogue& catalogue);
/// The events with their counters, unit masks and minimum counts, which are multiplied by `count_factor`. A
/// heading begins the events of each origin.
std::string listing_text(const EventCatalogue& catalogue, const EventList& events, uint64_t count_factor);
/// The whole document, schema version 2.0.
std::string listing_xml(const EventCatalogue& catalogue, const EventList& events, uint64_t count_factor);

}  // namespace op::tool
