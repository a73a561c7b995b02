// SPDX-License-Identifier: GPL-2.0-or-later
// Choosing events to be counted.
#include "daemon/count/choose_counted.h"

#include <algorithm>

#include "libop/base/error.h"
#include "libop/base/fd.h"
#include "libop/base/text.h"
#include "libop/events/event_table.h"
#include "libop/events/software_events.h"

namespace op::collect {
namespace {

std::string label_of(const EventSpec& spec) {
    std::string label = spec.name;
    if (!spec.unit_mask_name.empty()) label += ":" + spec.unit_mask_name;
    if (spec.unit_mask) label += ":0x" + hex(*spec.unit_mask);  // as short as it can be, unlike in reports
    if (!spec.user) label += ":k";
    if (!spec.kernel) label += ":u";
    return label;
}

CountingCpus cpus_of(const EventCatalogue& catalogue, const CatalogueEvent& event,
                     const EventEncoding& encoding) {
    if (event.origin == EventOrigin::kernel && !event.pmu.empty())
        return cpus_of_pmu(catalogue.devices, event.pmu);
    return cpus_of_event(catalogue.devices, encoding);
}

CountedEvent choose(const EventCatalogue& catalogue, const EventSpec& spec) {
    if (catalogue.builtin(spec.name)) {
        check_event(spec, false);
        const EventEncoding encoding = builtin_encoding(spec.name);
        return {spec, label_of(spec), encoding, cpus_of_event(catalogue.devices, encoding)};
    }
    const ResolvedEvent resolved = resolve_event(catalogue, spec, {1, true});
    EventEncoding encoding = encode_event(catalogue, resolved);
    if (encoding.sampler != Sampler::counter)
        throw_usage("event '" + printable(spec.name) + "': " + printable(resolved.event->extended) +
                    " takes samples and does not count; operf can");
    encoding.precise = 0;  // concerns samples only
    return {spec, label_of(spec), encoding, cpus_of(catalogue, *resolved.event, encoding)};
}

bool is_choosable(const EventCatalogue& catalogue, const EventSpec& spec) try {
    choose(catalogue, spec);
    return true;
} catch (const Error&) {
    return false;
}

/// The field that is a unit mask here is the count in events of the programs that sample.
CountedEvent choose_without_count(const EventCatalogue& catalogue, const EventSpec& spec) try {
    return choose(catalogue, spec);
} catch (const Error& error) {
    EventSpec without_mask = spec;
    without_mask.unit_mask.reset();
    if (error.kind() != ErrorKind::usage || !spec.unit_mask || !is_choosable(catalogue, without_mask)) throw;
    throw_usage(std::string(error.what()) + "; no count is given here: NAME[:UNITMASK[:KERNEL[:USER]]]");
}

EventSpec default_spec(const EventCatalogue& catalogue) {
    EventSpec spec;
    const auto& own = catalogue.model.default_event;
    if (own && catalogue.knows(own->name)) spec = *own;
    if (spec.name.empty()) spec.name = cycles_event;
    spec.count = 0;
    return spec;
}

}  // namespace

std::vector<CountedEvent> choose_counted_events(const std::vector<EventSpec>& specs,
                                                const EventCatalogue& catalogue, const CountProbe& works,
                                                std::string& fallback) {
    std::vector<CountedEvent> events;
    for (const EventSpec& spec : specs)
        events.push_back(choose_without_count(catalogue, spec));
    if (!events.empty()) return events;
    events.push_back(choose(catalogue, default_spec(catalogue)));
    if (works(events.front())) return events;
    fallback = "no hardware counter here: counting the CPU clock, event TIMER (ns of CPU time)";
    EventSpec clock;
    clock.name = timer_event;
    return {choose(catalogue, clock)};
}

std::string always_countable() {
    return std::string(timer_event) + ", " + joined(software_events(), ", ", &SoftwareEvent::name);
}

}  // namespace op::collect
