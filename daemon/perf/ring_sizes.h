// SPDX-License-Identifier: GPL-2.0-or-later
// Sizes of the rings for samples, and of the copies of stacks that go into them. Opens nothing.
#pragma once

#include <cstddef>
#include <cstdint>

namespace op::collect {

/// The room for samples that each CPU should have, bytes: `wanted` (a power of two), halved until all rings
/// together are small, but not below the room for a few copies of `stack_bytes` (0 = none are made).
size_t fitting_ring(size_t wanted, size_t cpus, uint32_t stack_bytes) noexcept;

/// Bytes copied of a stack, see PerfOptions.
struct StackSizes {
    uint32_t usual = 0, larger = 0;  ///< 0 = none
    bool begins_larger = false;      ///< a ring holds enough of the larger ones to begin with them
    uint32_t wakeup_bytes = 0;       ///< the reader is woken whenever a ring has so many; 0 = no stacks
};

/// What rings of so many bytes have room for, at most what is wanted. Of the larger copies there may be too
/// few to begin with: samples could be lost before anything is known.
StackSizes fit_stacks(size_t ring_bytes, uint32_t usual, uint32_t larger) noexcept;

}  // namespace op::collect
