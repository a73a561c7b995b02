// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/perf/ring_sizes.h"

#include <algorithm>

#include "daemon/source/stack_copies.h"

namespace op::collect {
namespace {

/// All rings together, so that memory stays small on large machines; with copies of stacks a sample takes
/// some hundred times as much.
constexpr size_t all_rings_limit = size_t{8} << 20, all_rings_with_stacks = size_t{64} << 20;
/// Copies that a ring should hold at least: smaller ones are better than lost samples.
constexpr size_t least_stacks = 32;
/// With stacks the reader is woken so often while a ring fills once: half of it would be too late for the
/// larger copies, a few copies cost more than their walks.
constexpr size_t wakeups_per_ring = 4;
constexpr size_t smallest_wanted_ring = size_t{1} << 16;

}  // namespace

size_t fitting_ring(size_t wanted, size_t cpus, uint32_t stack_bytes) noexcept {
    const size_t limit = stack_bytes != 0 ? all_rings_with_stacks : all_rings_limit;
    const size_t least = std::max(smallest_wanted_ring, least_stacks * stack_bytes);
    while (wanted / 2 >= least && wanted * cpus > limit)
        wanted /= 2;
    return wanted;
}

StackSizes fit_stacks(size_t ring_bytes, uint32_t usual, uint32_t larger) noexcept {
    if (usual == 0) return {};
    if (ring_bytes < least_stacks * usual) {
        const auto fitting = static_cast<uint32_t>(ring_bytes / least_stacks) & ~uint32_t{7};
        usual = std::max(fitting, smallest_stack);
        larger = 0;
    }
    return {usual, larger, larger != 0 && ring_bytes >= least_stacks * larger,
            static_cast<uint32_t>(ring_bytes / wakeups_per_ring)};
}

}  // namespace op::collect
