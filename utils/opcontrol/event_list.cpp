// SPDX-License-Identifier: GPL-2.0-or-later
// The events that opcontrol can sample.
#include "utils/opcontrol/event_list.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string_view>

#include "libop/events/event_table.h"
#include "libop/events/kernel_events.h"
#include "libop/events/uncounted.h"
#include "utils/shared/event_listing.h"

namespace op::tool {

namespace {

/// PMUs that stand beside the CPUs, and the one of model-specific registers, raise no interrupt to take a
/// sample at.
bool takes_samples(const std::string& devices, const std::string& pmu) {
    std::error_code ignored;
    return pmu != "msr" && !std::filesystem::exists(devices + "/" + pmu + "/cpumask", ignored);
}

bool is_sampled(const EventCatalogue& catalogue, const CatalogueEvent& event, bool has_counters) {
    if (event.origin == EventOrigin::kernel) return takes_samples(catalogue.devices, event.pmu);
    if (event.origin == EventOrigin::file && !why_uncounted(catalogue.model, event).empty()) return false;
    if (!event.extended.empty()) return kernel_pmu_type(catalogue.devices, event.extended).has_value();
    return has_counters || !event.counter_mask();
}

/// An event beside those of the catalogue, of any counter or, by the kernel's clock, of none.
CatalogueEvent further_event(std::string_view name, std::string_view description, uint64_t minimum_count,
                             EventOrigin origin = EventOrigin::file) {
    CatalogueEvent event;
    event.name = name;
    event.description = description;
    event.minimum_count = minimum_count;
    event.origin = origin;
    event.unit_masks = std::make_shared<const UnitMaskSet>(
        UnitMaskSet{"zero", UnitMaskKind::mandatory, 0, "", true, {{0, 0, "", "No unit mask"}}});
    return event;
}

/// What a driver samples besides the events of its CPU type, or instead.
std::vector<CatalogueEvent> events_of_driver(const collect::DriverModel& driver,
                                             const EventCatalogue& catalogue) {
    const EventInfo &clock = driver.kind().clock, &cycles = *find_event(cycles_event);
    if (driver.kind().has_clock_only())
        return {further_event(clock.name, clock.description, clock.minimum_count)};
    std::vector<CatalogueEvent> events;
    const bool has_codes = !collect::registers_of(driver, catalogue).numbers_events;
    if (catalogue.events.empty() && has_codes)
        events.push_back(further_event(cycles.name, cycles.description, cycles.minimum_count));
    if (has_codes)
        events.push_back(further_event("rNNN", "Raw code NNN, hexadecimal, of the processor's manual", 1));
    return events;
}

/// The events of the driver's type with the minimum counts of its counters.
EventCatalogue catalogue_of_driver(const collect::DriverModel& driver, EventCatalogue catalogue) {
    if (driver.kind().has_clock_only()) catalogue.events.clear();
    for (CatalogueEvent& event : events_of_driver(driver, catalogue))
        catalogue.events.push_back(std::move(event));
    const uint64_t least = driver.counters.empty() ? 0 : driver.counters.front().minimum_count;
    if (!driver.kind().counts_rate)
        for (CatalogueEvent& event : catalogue.events)
            event.minimum_count = std::max(least, event.minimum_count);
    return catalogue;
}

EventCatalogue catalogue_of_perf(EventCatalogue catalogue, bool has_counters) {
    for (const EventInfo& event : event_table()) {
        const bool is_timer = event.name == timer_event;
        if (!catalogue.knows(event.name) && (has_counters || is_timer))
            catalogue.events.push_back(further_event(event.name, event.description, event.minimum_count,
                                                     is_timer ? EventOrigin::clock : EventOrigin::file));
    }
    return catalogue;
}

}  // namespace

void remove_unsampled(EventCatalogue& catalogue, bool has_counters) {
    std::erase_if(catalogue.events,
                  [&](const CatalogueEvent& event) { return !is_sampled(catalogue, event, has_counters); });
}

EventCatalogue sampled_events(const std::optional<collect::DriverModel>& driver,
                              const EventCatalogue& catalogue, bool has_counters) {
    return driver ? catalogue_of_driver(*driver, catalogue) : catalogue_of_perf(catalogue, has_counters);
}

std::string event_list_text(const std::optional<collect::DriverModel>& driver,
                            const EventCatalogue& catalogue, bool has_counters) {
    const EventCatalogue shown = sampled_events(driver, catalogue, has_counters);
    return listing_text(shown, all_events(shown), 1);
}

}  // namespace op::tool
