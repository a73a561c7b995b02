// SPDX-License-Identifier: GPL-2.0-or-later
// The plan of what is written to the driver, and its execution.
#include "daemon/driver/driver_setup.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "libop/events/kernel_events.h"

namespace op::collect {

namespace {

/// What the driver calls processors that have what many types have in common, and what those are called.
constexpr std::pair<std::string_view, std::string_view> common_types[] = {
    {"i386/arch_perfmon", "i386/"},
    {"arm/armv8-pmuv3-common", "arm/armv8"},
    {"perf", "i386/"},
    {"perf", "x86-64/"}};

/// The most callers that the driver finds by itself; those on copied stacks are found here.
constexpr uint64_t deepest_chain = 64;
/// Bytes of a stack at most. The driver copies what is there: a few KB of most programs.
constexpr uint64_t copied_stack = uint64_t{64} << 10;

std::string file_of(int counter, const char* name) {
    return std::to_string(counter) + "/" + name;
}

void plan_sizes(const DriverModel& model, const DaemonSettings& settings, std::vector<DriverWrite>& plan) {
    const auto if_set = [&plan](const char* file, uint64_t value) {
        if (value != 0) plan.push_back({file, value});
    };
    if_set("buffer_size", settings.buffer_size);
    if_set("buffer_watershed", settings.buffer_watershed);
    if_set("cpu_buffer_size", settings.cpu_buffer_size);
    plan.push_back({"backtrace_depth", std::min(settings.callgraph, deepest_chain)});
    if (model.copies_stacks) plan.push_back({"stack_size", settings.callgraph > 0 ? copied_stack : 0});
    plan.push_back({"pid_filter", settings.pid_filter});
    plan.push_back({"pgrp_filter", settings.pgrp_filter});
}

void plan_counter_off(const DriverCounter& counter, std::vector<DriverWrite>& plan) {
    for (const char* name : {"enabled", "event", "count"})
        plan.push_back({file_of(counter.number, name), 0});
    if (counter.has_extra) plan.push_back({file_of(counter.number, "extra"), 0});
    if (!counter.has_pmu) return;
    for (const char* name : {"pmu", "raw_size"})
        plan.push_back({file_of(counter.number, name), 0});
}

/// The events of one counter as one: derived ones count in the modes of all.
std::vector<ConfiguredEvent> join_derived(std::span<const ConfiguredEvent> events) {
    std::vector<ConfiguredEvent> joined;
    for (const ConfiguredEvent& event : events) {
        const auto same = std::ranges::find(joined, event.counter, &ConfiguredEvent::counter);
        if (same == joined.end()) {
            joined.push_back(event);
        } else {
            same->kernel |= event.kernel;
            same->user |= event.user;
        }
    }
    return joined;
}

void plan_event(const ConfiguredEvent& event, bool has_extra, std::vector<DriverWrite>& plan) {
    const auto put = [&](const char* name, uint64_t value) {
        plan.push_back({file_of(event.counter, name), value});
    };
    put("enabled", 1);
    put("event", event.sampler ? event.sampler->config : event.code);
    put("count", event.count);
    put("kernel", event.kernel);
    put("user", event.user);
    put("unit_mask", event.sampler ? 0 : event.unit_mask);
    if (has_extra) put("extra", event.extra);
    if (!event.sampler) return;
    put("pmu", event.sampler->pmu);
    put("raw_size", event.sampler->raw_size);
}

}  // namespace

DriverModel read_driver_model(const Oprofilefs& driver) {
    DriverModel model{
        driver.text("model"), driver.text("cpu_type"), {}, driver.find_number("stack_size").has_value()};
    for (const int n : driver.counters())
        model.counters.push_back({n, driver.find_number(file_of(n, "min_count")).value_or(0),
                                  driver.find_number(file_of(n, "extra")).has_value(),
                                  driver.find_number(file_of(n, "pmu")).has_value()});
    return model;
}

std::optional<CpuModel> driver_cpu_model(const DriverModel& model) {
    if (model.kind().has_clock_only()) return std::nullopt;
    const CpuModels& models = cpu_models();
    const CpuModel& own = models.detect(running_processor());
    for (const auto& [name, family] : common_types)
        if (model.cpu_type == name && own.name.starts_with(family)) return own;
    const CpuModel* const row = models.find(model.cpu_type);
    return row ? std::optional(*row) : std::nullopt;
}

EventCatalogue driver_catalogue(const DriverModel& model) {
    const auto row = driver_cpu_model(model);
    if (!row) return {};
    const Processor machine = running_processor();
    // libpfm does not know which counters can hold an event; models that program registers need to know it.
    CatalogueSources sources{events_directory(), {}, !model.kind().programs_counters, ""};
    if (row->matches(machine)) sources.machine = machine;
    EventCatalogue catalogue = load_catalogue(*row, sources);
    // The kernel's PMUs are counted by their numbers only; those of samplers are found by name.
    catalogue.devices = event_source_devices();
    return catalogue;
}

std::vector<DriverWrite> plan_driver(const DriverModel& model, const DaemonSettings& settings,
                                     std::span<const ConfiguredEvent> events) {
    std::vector<DriverWrite> plan;
    plan_sizes(model, settings, plan);
    for (const DriverCounter& counter : model.counters)
        plan_counter_off(counter, plan);
    for (const ConfiguredEvent& event : join_derived(events)) {
        const auto counter = std::ranges::find(model.counters, event.counter, &DriverCounter::number);
        plan_event(event, counter != model.counters.end() && counter->has_extra, plan);
    }
    return plan;
}

void program_driver(const Oprofilefs& driver, std::span<const DriverWrite> plan,
                    std::span<ConfiguredEvent> events) {
    for (const DriverWrite& write : plan)
        driver.set(write.file, write.value);
    for (ConfiguredEvent& event : events)
        event.count = driver.number(file_of(event.counter, "count"));
}

}  // namespace op::collect
