// SPDX-License-Identifier: GPL-2.0-or-later
// The driver's timers, one on each CPU (models timer and rtc): switched and timed while they run.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "utils/opcontrol/control_paths.h"

namespace op::tool {

/// One --timer=CPU|all:on|off.
struct TimerSwitch {
    std::optional<uint64_t> cpu;  ///< none = all CPUs
    bool is_on;

    bool operator==(const TimerSwitch&) const = default;
};

/// The greatest period that the driver takes, in microseconds.
inline constexpr uint64_t longest_timer_period = 10'000'000;

/// Throws a usage error that shows the form for anything else than CPU:on, CPU:off, all:on or all:off.
std::vector<TimerSwitch> parse_timer_switches(std::span<const std::string> texts);

/// Sets the period of all timers (microseconds; 0 = by the event's count; none = as it is), then applies the
/// switches in their order. All is checked before anything is written: throws a usage error if the driver is
/// not loaded, has no timers or not that CPU's, or if the period is too long. Throws a system error if the
/// driver refuses.
void set_timers(const ControlPaths& paths, const std::vector<TimerSwitch>& switches,
                std::optional<uint64_t> period_us);

/// What differs from all timers on, with the event's period: "cpu 1 off, cpu 2 every 500 us"; empty if
/// nothing does or there are none.
std::string timers_text(const ControlPaths& paths);

}  // namespace op::tool
