// SPDX-License-Identifier: GPL-2.0-or-later
// Giving each event a hardware counter that can hold it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace op {

/// The counters that can hold an event: bit n = counter n. No bits = it takes no counter (IBS).
using CounterMask = std::optional<uint32_t>;

/// The mask of the first so many counters; 32 at most.
uint32_t all_counters(unsigned counters) noexcept;

/// A counter for each event, -1 for those that take no counter; no two events share one. Returns the
/// assignment in which the first event has the lowest counter, then the second, and so on; nothing if no
/// assignment exists. The time grows with events^3 x counters, whatever the masks are.
std::optional<std::vector<int>> allocate_counters(std::span<const CounterMask> events, unsigned counters);

}  // namespace op
