// SPDX-License-Identifier: GPL-2.0-or-later
// The plan of what is written to the driver, and its execution.
#include "daemon/driver_setup.h"

#include <algorithm>

#include "libop/cpu_model.h"

namespace op::collect {

namespace {

constexpr std::string_view architectural = "i386/arch_perfmon";

std::string file_of(int counter, const char* name) {
    return std::to_string(counter) + "/" + name;
}

void plan_sizes(const DaemonSettings& settings, std::vector<DriverWrite>& plan) {
    const auto if_set = [&plan](const char* file, uint64_t value) {
        if (value != 0) plan.push_back({file, value});
    };
    if_set("buffer_size", settings.buffer_size);
    if_set("buffer_watershed", settings.buffer_watershed);
    if_set("cpu_buffer_size", settings.cpu_buffer_size);
    plan.push_back({"backtrace_depth", settings.callgraph});
    plan.push_back({"pid_filter", settings.pid_filter});
    plan.push_back({"pgrp_filter", settings.pgrp_filter});
}

void plan_counter_off(const DriverCounter& counter, std::vector<DriverWrite>& plan) {
    for (const char* name : {"enabled", "event", "count"})
        plan.push_back({file_of(counter.number, name), 0});
    if (counter.has_extra) plan.push_back({file_of(counter.number, "extra"), 0});
}

void plan_event(const DriverEvent& event, bool has_extra, std::vector<DriverWrite>& plan) {
    const auto put = [&](const char* name, uint64_t value) {
        plan.push_back({file_of(event.counter, name), value});
    };
    put("enabled", 1);
    put("event", event.code);
    put("count", event.count);
    put("kernel", event.kernel);
    put("user", event.user);
    put("unit_mask", event.unit_mask);
    if (has_extra) put("extra", event.extra);
}

}  // namespace

DriverModel read_driver_model(const Oprofilefs& driver) {
    DriverModel model{driver.text("model"), driver.text("cpu_type"), {}};
    for (const int n : driver.counters())
        model.counters.push_back({n, driver.find_number(file_of(n, "min_count")).value_or(0),
                                  driver.find_number(file_of(n, "extra")).has_value()});
    return model;
}

EventCatalogue driver_catalogue(const DriverModel& model) {
    if (model.model == "timer" || model.model == "rtc") return {};
    const std::string dir = events_directory();
    const CpuModels models = load_cpu_models(dir);
    const Processor machine = running_processor();
    const CpuModel& own = models.detect(machine);
    const bool is_own =
        model.cpu_type == own.name || (model.cpu_type == architectural && own.name.starts_with("i386/"));
    const CpuModel* const row = is_own ? &own : models.find(model.cpu_type);
    if (!row) return {};
    CatalogueSources sources{dir, {}, true, ""};
    if (row == &own) sources.machine = machine;
    return load_catalogue(*row, sources);
}

std::vector<DriverWrite> plan_driver(const DriverModel& model, const DaemonSettings& settings,
                                     std::span<const DriverEvent> events) {
    std::vector<DriverWrite> plan;
    plan_sizes(settings, plan);
    for (const DriverCounter& counter : model.counters)
        plan_counter_off(counter, plan);
    for (const DriverEvent& event : events) {
        const auto counter = std::ranges::find(model.counters, event.counter, &DriverCounter::number);
        plan_event(event, counter != model.counters.end() && counter->has_extra, plan);
    }
    return plan;
}

void program_driver(const Oprofilefs& driver, std::span<const DriverWrite> plan,
                    std::span<DriverEvent> events) {
    for (const DriverWrite& write : plan)
        driver.set(write.file, write.value);
    for (DriverEvent& event : events)
        event.count = driver.number(file_of(event.counter, "count"));
}

}  // namespace op::collect
