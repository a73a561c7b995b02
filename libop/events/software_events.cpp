// SPDX-License-Identifier: GPL-2.0-or-later
// The table of the kernel's own events; numbers and meaning are perf_event_open(2)'s.
#include "libop/events/software_events.h"

#include <algorithm>
#include <iterator>

namespace op {

namespace {

constexpr SoftwareEvent events[] = {
    {"cpu-clock", "Nanoseconds by the clock of a CPU", 0, 10000, false},
    {"task-clock", "Nanoseconds for which a task ran", 1, 10000, false},
    {"page-faults", "Page faults", 2, 1, false},
    {"context-switches", "Switches from one task to another", 3, 1, true},
    {"cpu-migrations", "Moves of a task to another CPU", 4, 1, true},
    {"minor-faults", "Page faults that needed no reading from disk", 5, 1, false},
    {"major-faults", "Page faults that needed reading from disk", 6, 1, false},
    {"alignment-faults", "Accesses to unaligned data that the kernel fixed up", 7, 1, false},
    {"emulation-faults", "Instructions that the kernel emulated", 8, 1, false},
};

}  // namespace

EventEncoding SoftwareEvent::encoding() const noexcept {
    return {perf_type_software, number, 0, 0, 0};
}

std::span<const SoftwareEvent> software_events() noexcept {
    return events;
}

const SoftwareEvent* find_software_event(const EventEncoding& encoding) noexcept {
    const auto row = std::ranges::find_if(
        events, [&](const SoftwareEvent& event) { return event.encoding() == encoding; });
    return row == std::end(events) ? nullptr : row;
}

const SoftwareEvent* find_software_event(std::string_view name) noexcept {
    const auto row = std::ranges::find(events, name, &SoftwareEvent::name);
    return row == std::end(events) ? nullptr : row;
}

bool is_kernel_only(const EventEncoding& encoding, bool user_mode) noexcept {
    const SoftwareEvent* const known = find_software_event(encoding);
    return !user_mode || (known && known->in_kernel);
}

}  // namespace op
