// SPDX-License-Identifier: GPL-2.0-or-later
// Driver or perf_event_open, each with its own rules for events.
#include "utils/opcontrol/prepare_source.h"

#include <utility>

#include "daemon/driver/driver_setup.h"
#include "daemon/driver/oprofilefs.h"
#include "daemon/perf/perf_events.h"
#include "libop/base/error.h"
#include "libop/base/text.h"

namespace op::tool {

namespace {

std::vector<EventSpec> specs_of(const DaemonSettings& settings) {
    std::vector<EventSpec> specs;
    for (const std::string& text : settings.events)
        specs.push_back(parse_event_spec(text));
    return specs;
}

std::vector<collect::ConfiguredEvent> choose_for_driver(const DaemonSettings& settings,
                                                        const collect::DriverModel& model) {
    std::vector<EventSpec> specs = specs_of(settings);
    const EventCatalogue catalogue = collect::driver_catalogue(model);
    if (specs.empty()) specs.push_back(collect::default_driver_event(model, catalogue));
    return collect::choose_driver_events(specs, model, catalogue, settings.callgraph > 0);
}

void check_for_perf(const DaemonSettings& settings, EventUse use) {
    std::vector<EventSpec> specs = specs_of(settings);
    const EventCatalogue catalogue = collect::running_catalogue();
    if (use == EventUse::later)
        std::erase_if(specs, [&](const EventSpec& spec) {
            return collect::is_driver_event_name(spec.name) && !catalogue.knows(spec.name) &&
                   !catalogue.builtin(spec.name);
        });
    collect::check_perf_events(specs, settings.callgraph > 0, catalogue);
}

DaemonSource prepare_driver(EventChoice& choice, const ControlPaths& paths) {
    const collect::Oprofilefs driver(paths.driver);
    collect::program_driver(driver, collect::plan_driver(*choice.driver, choice.settings, choice.events),
                            choice.events);
    return {"driver", collect::to_daemon_text(choice.events), {"--oprofilefs=" + paths.driver}};
}

/// The daemon chooses: how the kernel is asked for an event is not a text to hand over.
DaemonSource prepare_perf(const DaemonSettings& settings) {
    if (settings.pid_filter != 0 || settings.pgrp_filter != 0)
        throw_usage(
            "process filters need the driver, which is not loaded or not mounted; switch them off with "
            "--pid-filter=none --pgrp-filter=none, or use operf --pid");
    return {"perf", joined(settings.events, ","), {}};
}

}  // namespace

std::optional<collect::DriverModel> find_driver(const ControlPaths& paths) {
    const collect::Oprofilefs driver(paths.driver);
    if (!driver.present()) return std::nullopt;
    return collect::read_driver_model(driver);
}

EventChoice choose_settings_events(const DaemonSettings& settings, const ControlPaths& paths, EventUse use) {
    EventChoice choice{settings, find_driver(paths), {}};
    if (choice.driver)
        choice.events = choose_for_driver(settings, *choice.driver);
    else
        check_for_perf(settings, use);
    return choice;
}

DaemonSource prepare_source(EventChoice choice, const ControlPaths& paths) {
    return choice.driver ? prepare_driver(choice, paths) : prepare_perf(choice.settings);
}

bool needs_nmi_watchdog_off(const ControlPaths& paths) {
    const collect::Oprofilefs driver(paths.driver);
    if (!driver.present()) return false;
    return collect::driver_kind(driver.text("model")).programs_counters;
}

}  // namespace op::tool
