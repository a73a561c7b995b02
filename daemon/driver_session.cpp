// SPDX-License-Identifier: GPL-2.0-or-later
// Events of a driver's session.
#include "daemon/driver_session.h"

#include <algorithm>
#include <string>

#include "libop/error.h"
#include "libop/event_table.h"
#include "libop/text.h"

namespace op::collect {
namespace {

void describe_cpu(const Oprofilefs& files, SessionInfo& info) {
    const std::string name = files.text("cpu_type");
    const CpuType* type = find_cpu_type(name);
    // A header on disk has room for today's types only.
    const bool storable = type && type->number < cpu_type_dropped;
    info.cpu_type = storable ? type->number : cpu_type_timer;
    info.cpu_type_name = printable(name);
}

std::string in_counter(int counter, const char* file) {
    return std::to_string(counter) + "/" + file;
}

/// The name for what a counter is set up to count: raw codes as the processor's manual has them.
std::string event_name(const std::string& model, uint64_t code) {
    if (model == "timer") return "TIMER";
    if (model == "rtc") return "RTC_INTERRUPTS";
    return "r" + hex(code);
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

RecordedEvent asked_event(const Oprofilefs& files, const DaemonEventSpec& asked, int counter) {
    const EventSpec& spec = asked.spec;
    RecordedEvent event{spec.name, 0, spec.count, spec.unit_mask.value_or(0), spec.kernel, spec.user};
    event.code = asked.code ? *asked.code : static_cast<uint32_t>(files.number(in_counter(counter, "event")));
    return event;
}

}  // namespace

void describe_driver_session(const Oprofilefs& files, std::span<const DaemonEventSpec> specs,
                             SessionInfo& info, DriverOptions& options) {
    describe_cpu(files, info);
    const auto counters = files.counters();
    for (size_t i = 0; i < specs.size(); ++i) {
        const int counter = specs[i].counter.value_or(static_cast<int>(i));
        if (std::ranges::find(counters, counter) == counters.end())
            throw_usage("event " + printable(specs[i].spec.name) + ": the driver has no counter " +
                        std::to_string(counter));
        info.events.push_back(asked_event(files, specs[i], counter));
        options.counters.push_back(counter);
    }
    if (!specs.empty()) return;
    const std::string model = files.text("model");
    for (const int counter : counters) {
        if (files.number(in_counter(counter, "enabled")) == 0) continue;
        info.events.push_back(set_up_event(files, model, counter));
        options.counters.push_back(counter);
    }
    if (info.events.empty())
        throw_usage("no counter of the driver is set up; use opcontrol --start, which does that");
}

}  // namespace op::collect
