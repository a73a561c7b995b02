// SPDX-License-Identifier: GPL-2.0-or-later
// Event descriptions: the text files `events` and `unit_masks` of a CPU type. Format: doc/FORMATS.md, "Event
// files". Takes texts, never paths. libop/event_catalogue leaves out events that the machine lacks.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libop/events/unit_mask.h"

namespace op {

/// An event as an event file describes it.
struct EventDescription {
    std::string name;
    std::string description;
    uint32_t code = 0;
    uint32_t counters = 0;           ///< bit n = counter n can hold it; 0 if it takes no counter
    bool counters_of_cpuid = false;  ///< any counter of the processor, however many those are
    std::string extended;            ///< the facility that takes the place of a counter: "ibs_op"
    std::optional<unsigned> filter;  ///< bit of CPUID leaf 0xA EBX that is set if the event is missing
    uint64_t minimum_count = 0;
    std::shared_ptr<const UnitMaskSet> unit_masks;  ///< never null
};

/// The two texts of a CPU type's directory.
struct EventTexts {
    std::string label;  ///< of the directory, for messages: "/usr/share/oprofile/i386/core_2"
    std::string events;
    std::string unit_masks;
};

/// Returns the texts of another CPU type, or nothing if there is no CPU type of that name. May throw.
using EventIncluder = std::function<std::optional<EventTexts>(const std::string& cpu)>;

/// Parses a CPU type's texts and the types they include, in file order; including a type a second time adds
/// nothing. If several files define a unit-mask set or event of one name, the including file's is used.
/// Throws an input error "<label>/events:<line>: <what>" at the first fault. A unit-mask set of the type's
/// own that no event uses is a fault.
std::vector<EventDescription> parse_events(const EventTexts& texts, const EventIncluder& include);

}  // namespace op
