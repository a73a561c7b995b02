// SPDX-License-Identifier: GPL-2.0-or-later
// Asking the kernel for what events take.
#include "utils/event_support.h"

#include <algorithm>

#include "daemon/perf/perf_probe.h"
#include "libop/base/error.h"
#include "libop/events/kernel_events.h"
#include "libop/events/uncounted.h"

namespace op::tool {

namespace {

bool is_precise(uint32_t extra) {
    return (extra & extra_bits::pebs) != 0;
}

void add_needs(const CatalogueEvent& event, EventNeeds& needs) {
    if (event.counter_mask()) needs.counters = true;
    if (!event.extended.empty()) needs.samplers.insert(event.extended);
}

void note_counters(Diagnostics& notes) {
    RecordedEvent cycles;
    cycles.name = cycles_event;
    cycles.count = 100000;
    try {
        if (!collect::perf_event_works(cycles, builtin_encoding(cycles.name)))
            notes.warn(
                "events that take a counter cannot be counted here: the kernel offers no hardware counters "
                "(as "
                "in most virtual machines); its own events (such as page-faults) and TIMER:NANOSECONDS can");
    } catch (const Error& error) {
        notes.warn("whether events that take a counter can be counted here is not known: " +
                   std::string(error.what()));
    }
}

}  // namespace

EventNeeds needs_of_all(const EventList& events) {
    EventNeeds needs;
    for (const CatalogueEvent* event : events) {
        add_needs(*event, needs);
        for (const UnitMaskEntry& entry : event->unit_masks->entries)
            if (is_precise(entry.extra)) needs.precision = true;
    }
    return needs;
}

EventNeeds needs_of(std::span<const ResolvedEvent> events) {
    EventNeeds needs;
    for (const ResolvedEvent& asked : events) {
        add_needs(*asked.event, needs);
        if (is_precise(asked.unit_mask.extra)) needs.precision = true;
    }
    return needs;
}

void note_uncounted(const CpuModel& model, const EventList& events, Diagnostics& notes) {
    size_t uncounted = 0;
    std::string reason;
    for (const CatalogueEvent* const event : events) {
        if (event->origin != EventOrigin::file) continue;
        const std::string why = why_uncounted(model, *event);
        if (!why.empty() && uncounted++ == 0) reason = why;
    }
    if (uncounted == 0) return;
    const std::string which = uncounted == events.size() ? "these" : std::to_string(uncounted) + " of these";
    notes.warn("no kernel of today counts " + which + " events of " + model.title + ": " + reason +
               "; they are known so that old sessions can be read");
}

void note_obstacles(const EventNeeds& needs, const std::string& devices, Diagnostics& notes) {
    if (needs.counters) note_counters(notes);
    for (const std::string& sampler : needs.samplers)
        if (!kernel_pmu_type(devices, sampler))
            notes.warn("events with (ext: " + sampler +
                       ") cannot be sampled here: the kernel has no PMU of that name, as in most virtual "
                       "machines");
    if (needs.precision && greatest_precise_level(devices) == 0)
        notes.warn(
            "what is listed as (precise) is not here: the kernel offers no precise samples, as in most "
            "virtual "
            "machines");
}

}  // namespace op::tool
