// SPDX-License-Identifier: GPL-2.0-or-later
// Driver or perf_event_open, with the events each can count.
#include "utils/opcontrol/prepare_source.h"

#include "daemon/driver/driver_setup.h"
#include "daemon/driver/oprofilefs.h"
#include "daemon/perf/perf_events.h"
#include "libop/base/error.h"
#include "libop/events/event_table.h"
#include "libop/events/ibs_rules.h"

namespace op::tool {

namespace {

std::vector<EventSpec> specs_of(const DaemonSettings& settings) {
    std::vector<EventSpec> specs;
    for (const std::string& text : settings.events)
        specs.push_back(parse_event_spec(text));
    return specs;
}

std::vector<collect::ConfiguredEvent> choose(const DaemonSettings& settings,
                                             const collect::DriverModel& model) {
    std::vector<EventSpec> specs = specs_of(settings);
    const EventCatalogue catalogue = collect::driver_catalogue(model);
    if (specs.empty()) specs.push_back(collect::default_driver_event(model, catalogue));
    return collect::choose_driver_events(specs, model, catalogue, settings.callgraph > 0);
}

DaemonSource prepare_driver(const DaemonSettings& settings, const ControlPaths& paths) {
    const collect::Oprofilefs driver(paths.driver);
    const collect::DriverModel model = collect::read_driver_model(driver);
    auto events = choose(settings, model);
    collect::program_driver(driver, collect::plan_driver(model, settings, events), events);
    return {"driver", collect::to_daemon_text(events)};
}

/// The daemon chooses: how the kernel is asked for an event is not a text to hand over.
DaemonSource prepare_perf(const DaemonSettings& settings) {
    if (settings.pid_filter != 0 || settings.pgrp_filter != 0)
        throw_usage(
            "process filters need the driver, which is not loaded; switch them off with "
            "--pid-filter=none --pgrp-filter=none, or use operf --pid");
    std::string events;
    for (const std::string& event : settings.events)
        events += (events.empty() ? "" : ",") + event;
    return {"perf", std::move(events)};
}

}  // namespace

std::optional<collect::DriverModel> find_driver(const ControlPaths& paths) {
    const collect::Oprofilefs driver(paths.driver);
    if (!driver.present()) return std::nullopt;
    return collect::read_driver_model(driver);
}

void check_events(const DaemonSettings& settings, const ControlPaths& paths) {
    if (const auto model = find_driver(paths)) {
        choose(settings, *model);
        return;
    }
    const EventCatalogue catalogue = collect::running_catalogue();
    std::vector<ResolvedEvent> resolved;
    for (const EventSpec& spec : specs_of(settings))
        if (catalogue.builtin(spec.name))
            check_event(spec, settings.callgraph > 0);
        else if (!collect::is_driver_event_name(spec.name))
            resolved.push_back(
                resolve_event(catalogue, spec, {settings.callgraph > 0 ? callgraph_count_factor : 1, false}));
    check_ibs_events(catalogue.model.name, resolved);
}

DaemonSource prepare_source(const DaemonSettings& settings, const ControlPaths& paths) {
    return collect::Oprofilefs(paths.driver).present() ? prepare_driver(settings, paths)
                                                       : prepare_perf(settings);
}

bool needs_nmi_watchdog_off(const ControlPaths& paths) {
    const collect::Oprofilefs driver(paths.driver);
    if (!driver.present()) return false;
    return collect::driver_kind(driver.text("model")).programs_counters;
}

}  // namespace op::tool
