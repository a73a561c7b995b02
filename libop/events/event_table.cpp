// SPDX-License-Identifier: GPL-2.0-or-later
// The built-in events and the check of a specification against them.
#include "libop/events/event_table.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "libop/base/error.h"
#include "libop/base/text.h"

namespace op {

namespace {

// The code of CPU_CLK_UNHALTED is the one of Intel's architectural event 0 and only informs readers of sample
// files: the kernel is asked for "cycles" and picks the register encoding of its processor itself.
constexpr EventInfo events[] = {
    {cycles_event, "Clock cycles in which the processor was not halted", 0x3c, 6000, 100000},
    {timer_event, "Nanoseconds of processor time by the kernel's clock", 0, 10000, 1000000},
};
constexpr uint64_t greatest_count = std::numeric_limits<uint32_t>::max();

std::string known_events() {
    std::vector<std::string> names;
    for (const EventInfo& event : events)
        names.emplace_back(event.name);
    return joined(names);
}

void check_count(const EventSpec& spec, uint64_t minimum, bool callgraph) {
    const std::string asked = "event '" + spec.name + "': count " + std::to_string(spec.count);
    if (spec.count < minimum)
        throw_usage(asked + " is below the minimum of " + std::to_string(minimum) +
                    (callgraph ? " for call graphs" : "") + "; ask for at least that");
    if (spec.count > greatest_count)
        throw_usage(asked + " is above the maximum of " + std::to_string(greatest_count));
}

void check_unit_mask(const EventSpec& spec) {
    const std::string event = "event '" + spec.name + "': ";
    constexpr const char* remedy = "; the event has none, so leave the field empty";
    if (!spec.unit_mask_name.empty())
        throw_usage(event + "no unit mask is named '" + printable(spec.unit_mask_name) + "'" + remedy);
    if (spec.unit_mask.value_or(0) != 0)
        throw_usage(event + "unit mask 0x" + hex(*spec.unit_mask) + " is not valid" + remedy);
}

}  // namespace

std::span<const EventInfo> event_table() {
    return events;
}

bool is_clock(std::string_view event) {
    return event == timer_event || event == "cpu-clock" || event == "task-clock";
}

uint64_t sample_time(std::string_view event, uint64_t count) {
    return is_clock(event) ? count : 0;
}

const EventInfo* find_event(std::string_view name) {
    const auto row = std::ranges::find(events, name, &EventInfo::name);
    return row == std::end(events) ? nullptr : row;
}

const EventInfo& check_event(const EventSpec& spec, bool callgraph) {
    const EventInfo* event = find_event(spec.name);
    if (!event)
        throw_usage("event '" + printable(spec.name) + "': no such event; known here: " + known_events());
    if (spec.count != 0)
        check_count(spec, event->minimum_count * (callgraph ? callgraph_count_factor : 1), callgraph);
    check_unit_mask(spec);
    if (!spec.kernel && !spec.user)
        throw_usage("event '" + spec.name + "': kernel and user are both 0, so nothing would be counted");
    return *event;
}

}  // namespace op
