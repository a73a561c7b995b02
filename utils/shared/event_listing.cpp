// SPDX-License-Identifier: GPL-2.0-or-later
// Lists of events as text, and searching them.
#include "utils/shared/event_listing.h"

#include <algorithm>

#include "libop/base/text.h"

namespace op::tool {

namespace {

constexpr size_t last_column = 99, event_indent = 8, mask_indent = 14;

/// Where a family's events are described in full, by the beginning of its types' names; the first counts. No
/// text: not known.
struct Reference {
    std::string_view prefix;
    std::string_view text;
};
constexpr Reference references[] = {
    {"i386/athlon", "AMD Athlon Processor x86 Code Optimization Guide, appendix on performance monitoring"},
    {"i386/",
     "Intel 64 and IA-32 Architectures Software Developer's Manual, volume 3B, \"Performance "
     "Monitoring\" and \"Performance Monitoring Events\""},
    {"x86-64/",
     "AMD's BIOS and Kernel Developer's Guide, from family 17h on the Processor Programming "
     "Reference, of the processor's family and model"},
    {"arm/",
     "Arm Architecture Reference Manual, \"Performance Monitors Extension\", and the Technical "
     "Reference Manual of the core"},
    {"ppc64/cell-be", "Cell Broadband Engine Registers (IBM), on performance monitoring"},
    {"ppc64/pa6t", ""},
    {"ppc64/", "Performance Monitor Unit User's Guide of the POWER processor (OpenPOWER, IBM)"},
    {"ppc/", "Reference manual of the e300, e500, e6500 or 7450 core (NXP)"},
    {"s390/", "The Load-Program-Parameter and the CPU-Measurement Facilities (IBM SA23-2260)"},
    {"mips/", "Software User's Manual of the core, \"Performance Counter Registers\""},
    {"alpha/ev4", "Alpha 21064 and 21064A Microprocessors Hardware Reference Manual"},
    {"alpha/ev5", "Alpha 21164 Microprocessor Hardware Reference Manual"},
    {"alpha/", "Alpha 21264 Microprocessor Hardware Reference Manual"},
    {"ia64/", "Intel Itanium 2 Processor Reference Manual for Software Development and Optimization"},
    {"avr32", "AVR32 Architecture Document, \"Performance counters\" (Atmel)"},
    {"tile/", "Tile Processor's multicore development environment: performance counters"},
};

/// Text broken between words so that no line passes the last column; the first line begins in `column`.
std::string wrapped(std::string_view text, size_t column, size_t indent) {
    std::string out;
    for (auto word = take_word(text); !word.empty(); word = take_word(text)) {
        const bool is_first = out.empty();
        if (!is_first && column + 1 + word.size() > last_column) {
            out += "\n" + std::string(indent, ' ');
            column = indent;
        } else if (!is_first) {
            out += ' ';
            ++column;
        }
        out += word;
        column += word.size();
    }
    return out + "\n";
}

std::string counters_text(const EventCatalogue& catalogue, const CatalogueEvent& event) {
    if (!event.extended.empty()) return "(ext: " + event.extended + ")";
    const uint32_t all = all_counters(catalogue.counters);
    const CounterMask mask = event.counter_mask();
    if (!mask) return "(counter: N/A)";
    if (*mask == 0 || (*mask & all) == all) return "(counter: all)";
    std::vector<std::string> counters;
    for (int counter = 0; counter < 32; ++counter)
        if (*mask >> counter & 1) counters.push_back(std::to_string(counter));
    return "(counter: " + joined(counters) + ")";
}

std::string default_text(const UnitMaskSet& set) {
    if (!set.has_default) return "no default";
    return "default " + (set.default_name.empty() ? "0x" + hex(set.default_value, 2) : set.default_name);
}

std::string unit_masks_text(const UnitMaskSet& set) {
    if (set.name == "zero") return "";
    std::string text = "\tUnit masks (" + default_text(set) + ")\n\t----------\n";
    for (const UnitMaskEntry& entry : set.entries) {
        const std::string number = "0x" + hex(entry.value, 2) + ": ";
        const std::string name = entry.name.empty() ? "" : "(name=" + entry.name + ") ";
        const std::string precise = entry.extra & extra_bits::pebs ? " (precise)" : "";
        text += "\t" + number +
                wrapped(name + entry.description + precise, event_indent + number.size(), mask_indent);
    }
    return text;
}

std::string event_text(const EventCatalogue& catalogue, const CatalogueEvent& event, uint64_t factor) {
    const std::string description =
        event.description + " (min count: " + std::to_string(event.least_count(factor)) + ")";
    return event.name + ": " + counters_text(catalogue, event) + "\n\t" +
           wrapped(description, event_indent, event_indent) + unit_masks_text(*event.unit_masks);
}

/// The heading of the events of an origin; empty for those of the event files.
std::string heading(const CatalogueEvent& event) {
    if (event.origin == EventOrigin::libpfm)
        return "Further events, known to libpfm4 (" + event.pmu + "); their unit masks go by name\n\n";
    if (event.origin == EventOrigin::kernel) return "Events of the kernel's PMU " + event.pmu + "\n\n";
    if (event.origin == EventOrigin::clock) return "The kernel's CPU clock\n\n";
    return "";
}

/// All that is said of an event.
std::string searched_text(const CatalogueEvent& event) {
    std::string text = event.name + " " + event.description;
    for (const UnitMaskEntry& entry : event.unit_masks->entries)
        text += " " + entry.name + " " + entry.description;
    return lower(text);
}

}  // namespace

EventList all_events(const EventCatalogue& catalogue) {
    EventList list;
    for (const CatalogueEvent& event : catalogue.events)
        list.push_back(&event);
    return list;
}

EventList search_events(const EventCatalogue& catalogue, std::span<const std::string> words) {
    EventList list;
    for (const CatalogueEvent& event : catalogue.events) {
        const std::string text = searched_text(event);
        if (std::ranges::all_of(words,
                                [&](const std::string& w) { return text.find(lower(w)) != text.npos; }))
            list.push_back(&event);
    }
    return list;
}

std::string listing_reference(const EventCatalogue& catalogue) {
    const auto row = std::ranges::find_if(
        references, [&](const Reference& r) { return catalogue.model.name.starts_with(r.prefix); });
    if (row == std::end(references) || row->text.empty()) return "";
    return "Described in full in: " + std::string(row->text) + ".";
}

std::string listing_head(const EventCatalogue& catalogue) {
    const std::string reference = listing_reference(catalogue);
    return "oprofile: available events for CPU type \"" + catalogue.model.title + "\"\n\n" +
           (reference.empty() ? "" : wrapped(reference, 0, 0)) +
           "A unit mask that is listed with a name is asked for by it: EVENT:COUNT:NAME.\n\n";
}

std::string listing_text(const EventCatalogue& catalogue, const EventList& events, uint64_t count_factor) {
    std::string text, last_heading;
    for (const CatalogueEvent* event : events) {
        const std::string next = heading(*event);
        if (next != last_heading) text += (text.empty() ? "" : "\n") + next;
        last_heading = next;
        text += event_text(catalogue, *event, count_factor);
    }
    return text;
}

}  // namespace op::tool
