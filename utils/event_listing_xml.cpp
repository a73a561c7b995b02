// SPDX-License-Identifier: GPL-2.0-or-later
// Lists of events as XML: help_events, schema version 2.0.
#include "libop/base/xml_tag.h"
#include "utils/shared/event_listing.h"

namespace op::tool {

namespace {

std::string unit_mask_element(const UnitMaskEntry& entry) {
    XmlTag tag("unit_mask");
    if (!entry.name.empty()) tag.attribute("name", entry.name);
    return tag.attribute("mask", entry.value).attribute("desc", entry.description).empty();
}

std::string unit_masks_element(const UnitMaskSet& set) {
    if (set.name == "zero") return "";
    XmlTag tag("unit_masks");
    if (!set.default_name.empty())
        tag.attribute("default", set.default_name);
    else if (set.has_default)
        tag.attribute("default", set.default_value);
    tag.attribute("category", to_text(set.kind));
    std::string entries;
    for (const UnitMaskEntry& entry : set.entries)
        entries += unit_mask_element(entry);
    return tag.around(entries);
}

std::string event_element(const CatalogueEvent& event, uint64_t count_factor) {
    XmlTag tag("event");
    tag.attribute("event_name", event.name).attribute("desc", event.description);
    tag.attribute("counter_mask", event.counters);
    if (!event.extended.empty()) tag.attribute("ext", event.extended);
    tag.attribute("min_count", event.least_count(count_factor));
    const std::string masks = unit_masks_element(*event.unit_masks);
    return masks.empty() ? tag.empty() : tag.around(masks);
}

}  // namespace

std::string listing_xml(const EventCatalogue& catalogue, const EventList& events, uint64_t count_factor) {
    XmlTag header("header");
    header.attribute("title", "oprofile: available events for CPU type \"" + catalogue.model.title + "\"");
    header.attribute("doc", listing_reference(catalogue));
    std::string content = header.empty();
    for (const CatalogueEvent* event : events)
        content += event_element(*event, count_factor);
    XmlTag document("help_events");
    document.attribute("schemaversion", "2.0");
    return "<?xml version=\"1.0\"?>\n" + document.around(content);
}

}  // namespace op::tool
