// SPDX-License-Identifier: GPL-2.0-or-later
// How long an event was counted. More events than counters take turns on them.
#pragma once

#include <cstdint>
#include <string_view>

#include "libop/session/ledger.h"

namespace op {

/// The reason why an event was not counted at all, for messages.
inline constexpr std::string_view no_counter_was_free =
    "all counters that could hold it were taken, by other events or by another user of the hardware (the NMI "
    "watchdog is "
    "one)";

/// The time in which an event was enabled, and the time in which a counter held it: ns, sums over CPUs or
/// tasks. Both 0: not known.
struct CountedTime {
    uint64_t enabled = 0, running = 0;

    bool operator==(const CountedTime&) const = default;

    CountedTime& operator+=(const CountedTime& more) noexcept {
        enabled = add_saturating(enabled, more.enabled);
        running = add_saturating(running, more.running);
        return *this;
    }

    /// True if the event was counted for less than 99.9 % of the time, so that its counts are too low. Closer
    /// to 100 % the times prove nothing: the counters of several CPUs are switched on, off and read one after
    /// the other, and a task runs meanwhile.
    constexpr bool is_partial() const noexcept {
        return running < enabled && enabled - running > enabled / 1000;
    }
    /// True if it was enabled but no counter ever held it: its count is unknown.
    constexpr bool is_without_counter() const noexcept { return enabled != 0 && running == 0; }
    /// Share of the time in which it was counted, 0 to 1.
    double share() const noexcept {
        return running < enabled ? static_cast<double>(running) / static_cast<double>(enabled) : 1;
    }
};

}  // namespace op
