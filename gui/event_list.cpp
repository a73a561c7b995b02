// SPDX-License-Identifier: GPL-2.0-or-later
// Elements become events; counters are tried with one event left out at a time.
#include "gui/event_list.h"

#include <QByteArray>
#include <QXmlStreamReader>
#include <algorithm>

#include "libop/base/error.h"
#include "libop/base/text.h"

namespace op::gui {
namespace {

constexpr unsigned most_counters = 32;  ///< bits of a counter mask
constexpr uint64_t usual_count = 100000;
constexpr uint64_t clock_count = 1000000;  ///< nanoseconds

std::string attribute(const QXmlStreamReader& xml, const char* name) {
    return xml.attributes().value(QLatin1String(name)).toString().toStdString();
}

ListedEvent event_of(const QXmlStreamReader& xml) {
    ListedEvent event;
    event.name = attribute(xml, "event_name");
    event.description = attribute(xml, "desc");
    event.minimum_count = parse_number(attribute(xml, "min_count")).value_or(0);
    if (const auto mask = parse_number(attribute(xml, "counter_mask")); mask && *mask != 0)
        event.counters = static_cast<uint32_t>(*mask);  // 0 where no counter is taken
    return event;
}

ListedMask mask_of(const QXmlStreamReader& xml) {
    ListedMask mask;
    mask.value = parse_number(attribute(xml, "mask")).value_or(0);
    const std::string name = attribute(xml, "name");
    mask.word = name.empty() ? "0x" + hex(mask.value) : name;
    mask.description = attribute(xml, "desc");
    return mask;
}

void take_element(const QXmlStreamReader& xml, std::vector<ListedEvent>& events) {
    if (xml.name() == QLatin1String("event")) return events.push_back(event_of(xml));
    if (events.empty()) return;
    if (xml.name() == QLatin1String("unit_masks")) {
        events.back().default_mask = attribute(xml, "default");
        events.back().is_exclusive = attribute(xml, "category") != "bitmask";
    } else if (xml.name() == QLatin1String("unit_mask")) {
        events.back().masks.push_back(mask_of(xml));
    }
}

}  // namespace

std::vector<ListedEvent> parse_event_list(const QByteArray& bytes) {
    std::vector<ListedEvent> events;
    QXmlStreamReader xml(bytes);
    while (!xml.atEnd())
        if (xml.readNext() == QXmlStreamReader::StartElement) take_element(xml, events);
    if (xml.hasError()) throw_input("the list of events is malformed: " + xml.errorString().toStdString());
    return events;
}

bool fit_together(const std::vector<const ListedEvent*>& chosen) {
    std::vector<CounterMask> masks;
    for (const ListedEvent* const event : chosen)
        masks.push_back(event->counters);
    return allocate_counters(masks, most_counters).has_value();
}

std::string conflicts_of(const ListedEvent& candidate, const std::vector<const ListedEvent*>& chosen) {
    std::vector<const ListedEvent*> all = chosen;
    all.push_back(&candidate);
    if (fit_together(all)) return {};
    std::vector<std::string> names;
    for (const ListedEvent* const left_out : chosen) {
        auto fewer = all;
        std::erase(fewer, left_out);
        if (fit_together(fewer)) names.push_back(left_out->name);
    }
    return names.empty() ? "the chosen events" : joined(names, ", ");
}

uint64_t proposed_count(const ListedEvent& event) {
    const bool is_time = event.name == "TIMER" || event.name.ends_with("-clock");
    const bool is_rare = !event.counters && !is_time;
    const uint64_t usual = is_time ? clock_count : is_rare ? 1 : usual_count;
    return std::max(usual, event.minimum_count);
}

}  // namespace op::gui
