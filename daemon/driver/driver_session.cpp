// SPDX-License-Identifier: GPL-2.0-or-later
// Events of a driver's session.
#include "daemon/driver/driver_session.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "daemon/driver/driver_setup.h"
#include "daemon/source/samplers.h"
#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libop/control/daemon_settings.h"
#include "libop/events/event_table.h"

namespace op::collect {
namespace {

void describe_cpu(const Oprofilefs& files, SessionInfo& info) {
    const std::string name = files.text("cpu_type");
    const auto model = driver_cpu_model(read_driver_model(files));
    const CpuModel* type = cpu_models().find(name);
    if (!type && model) type = &*model;
    // A header on disk has room for today's types only.
    const bool storable = type && type->number < cpu_type_dropped;
    info.cpu_type = storable ? type->number : cpu_type_timer;
    info.cpu_type_name = model ? model->name : printable(name);
}

std::string in_counter(int counter, const char* file) {
    return std::to_string(counter) + "/" + file;
}

/// The name for what a counter is set up to count: raw codes as the processor's manual has them.
std::string event_name(const std::string& model, uint64_t code) {
    const DriverKind& kind = driver_kind(model);
    return kind.has_clock_only() ? std::string(kind.clock.name) : "r" + hex(code);
}

RecordedEvent set_up_event(const Oprofilefs& files, const std::string& model, int counter) {
    const auto number = [&](const char* file) { return files.number(in_counter(counter, file)); };
    RecordedEvent event;
    event.code = static_cast<uint32_t>(number("event"));
    event.name = event_name(model, event.code);
    event.count = number("count");
    event.unit_mask = number("unit_mask");
    event.kernel = number("kernel") != 0;
    event.user = number("user") != 0;
    return event;
}

/// An event whose counter was set up before.
RecordedEvent asked_event(const Oprofilefs& files, const DaemonEventSpec& asked) {
    const auto counters = files.counters();
    if (std::ranges::find(counters, *asked.counter) == counters.end())
        throw_usage("event " + printable(asked.spec.name) + ": the driver has no counter " +
                    std::to_string(*asked.counter));
    const EventSpec& spec = asked.spec;
    return {spec.name, *asked.code, spec.count, spec.unit_mask.value_or(0), spec.kernel, spec.user};
}

void add(RecordedEvent event, int counter, SessionInfo& info, DriverOptions& options) {
    info.events.push_back(std::move(event));
    options.counters.push_back(counter);
}

void add_enabled(const Oprofilefs& files, SessionInfo& info, DriverOptions& options) {
    const std::string model = files.text("model");
    for (const int counter : files.counters())
        if (files.number(in_counter(counter, "enabled")) != 0)
            add(set_up_event(files, model, counter), counter, info, options);
}

void set_up(const Oprofilefs& files, std::vector<EventSpec> specs, uint64_t callgraph, SessionInfo& info,
            DriverOptions& options) {
    const DriverModel model = read_driver_model(files);
    const EventCatalogue catalogue = driver_catalogue(model);
    if (specs.empty()) specs.push_back(default_driver_event(model, catalogue));
    auto events = choose_driver_events(specs, model, catalogue, callgraph > 0);
    DaemonSettings settings;
    settings.callgraph = callgraph;
    program_driver(files, plan_driver(model, settings, events), events);
    for (const ConfiguredEvent& e : events)
        add({e.name, e.code, e.count, recorded_unit_mask(e), e.kernel, e.user}, e.counter, info, options);
}

/// What takes an event's samples. A counter that others have set up to give raw data may be of any event.
Sampler sampler_of(const Oprofilefs& files, int counter, uint32_t code) {
    if (files.find_number(in_counter(counter, "raw_size")).value_or(0) == 0) return Sampler::counter;
    for (const Sampler sampler : {Sampler::ibs_fetch, Sampler::ibs_op})
        if (find_ibs_event(sampler, code)) return sampler;
    return Sampler::counter;
}

std::vector<Sampling> find_samplings(const Oprofilefs& files, const SessionInfo& info,
                                     const std::vector<int>& counters) {
    std::vector<EventEncoding> encodings;
    for (size_t i = 0; i < info.events.size(); ++i) {
        EventEncoding encoding;
        encoding.sampler = sampler_of(files, counters[i], info.events[i].code);
        encodings.push_back(encoding);
    }
    return samplings_of(info.events, encodings);
}

void describe_events(const Oprofilefs& files, std::span<const DaemonEventSpec> specs, uint64_t callgraph,
                     SessionInfo& info, DriverOptions& options) {
    if (specs.empty()) add_enabled(files, info, options);
    const auto named = std::ranges::count_if(specs, [](const auto& s) { return s.counter.has_value(); });
    if (named != 0 && named != std::ssize(specs))
        throw_usage("either all events name their counters or none does");
    for (const DaemonEventSpec& spec : specs)
        if (spec.counter) add(asked_event(files, spec), *spec.counter, info, options);
    if (!info.events.empty()) return;
    std::vector<EventSpec> plain;
    for (const DaemonEventSpec& spec : specs)
        plain.push_back(spec.spec);
    set_up(files, std::move(plain), callgraph, info, options);
}

}  // namespace

void describe_driver_session(const Oprofilefs& files, std::span<const DaemonEventSpec> specs,
                             uint64_t callgraph, SessionInfo& info, DriverOptions& options) {
    describe_cpu(files, info);
    describe_events(files, specs, callgraph, info, options);
    options.samplings = find_samplings(files, info, options.counters);
}

}  // namespace op::collect
