// SPDX-License-Identifier: GPL-2.0-or-later
// The events that the kernel counts itself, on every machine: clocks, page faults, context switches. Their
// names are those of PERF_COUNT_SW_* in perf_event_open(2), in lower case with dashes, as other tools do.
#pragma once

#include <span>
#include <string_view>

#include "libop/events/event_encoding.h"

namespace op {

/// One of them.
struct SoftwareEvent {
    std::string_view name;
    std::string_view description;  ///< one clause without full stop
    uint64_t number;               ///< config of perf_event_open(2)
    uint64_t minimum_count;        ///< of samples; the kernel's clocks take none more often (seen on 6.18)
    bool in_kernel;                ///< occurs in kernel mode only, so who may not count there sees none

    EventEncoding encoding() const noexcept;
};

/// All of them, sorted by number.
std::span<const SoftwareEvent> software_events() noexcept;
/// The event with this encoding, or null.
const SoftwareEvent* find_software_event(const EventEncoding& encoding) noexcept;
/// The event of that name, or null.
const SoftwareEvent* find_software_event(std::string_view name) noexcept;
/// True if an event of this encoding counts nothing for a user who may not profile the kernel. `user_mode`:
/// true if it is also requested in user mode.
bool is_kernel_only(const EventEncoding& encoding, bool user_mode) noexcept;

}  // namespace op
