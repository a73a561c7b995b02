// SPDX-License-Identifier: GPL-2.0-or-later
// Choosing events.
#include "daemon/perf_events.h"

#include <algorithm>

#include "libop/cpu_model.h"
#include "libop/event_table.h"

namespace op::collect {
namespace {

constexpr std::string_view timer = "TIMER";

EventSpec default_spec(std::string_view name) {
    EventSpec spec;
    spec.name = name;
    return spec;
}

RecordedEvent recorded(const EventSpec& spec, bool callgraph) {
    const EventInfo& row = check_event(spec, callgraph);
    const uint64_t count = spec.count != 0 ? spec.count : row.default_count;
    return {spec.name, row.code, count, spec.unit_mask.value_or(0), spec.kernel, spec.user};
}

void note_fallback(const RecordedEvent& event, const RecordedEvent& instead, Diagnostics& notes) {
    notes.warn("no hardware counter for " + event.name +
               " on this machine: sampling by the CPU clock instead, event " + instead.name + ":" +
               std::to_string(instead.count) + " (a sample every " + std::to_string(instead.count) +
               " ns of CPU time)");
}

}  // namespace

void choose_events(const std::vector<EventSpec>& specs, bool callgraph, const EventProbe& works,
                   SessionInfo& info, Diagnostics& notes) {
    std::vector<EventSpec> wanted = specs;
    if (wanted.empty()) wanted.push_back(default_spec(event_table().front().name));
    bool hardware = false;
    for (const EventSpec& spec : wanted) {
        RecordedEvent event = recorded(spec, callgraph);
        if (event.name != timer && !works(event)) {
            EventSpec instead = default_spec(timer);
            instead.kernel = spec.kernel;
            instead.user = spec.user;
            const RecordedEvent clock = recorded(instead, callgraph);
            note_fallback(event, clock, notes);
            event = clock;
        }
        hardware |= event.name != timer;
        if (std::ranges::find(info.events, event) == info.events.end()) info.events.push_back(event);
    }
    const CpuModel& timer_type = *builtin_cpu_models().find_number(cpu_type_timer);
    info.cpu_type = (hardware ? running_numbered_cpu_model() : timer_type).number;
    info.cpu_type_name = (hardware ? running_cpu_model() : timer_type).name;
}

}  // namespace op::collect
