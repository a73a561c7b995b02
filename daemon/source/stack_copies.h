// SPDX-License-Identifier: GPL-2.0-or-later
// How much of a thread's stack is copied with each sample.
#pragma once

#include <cstdint>

namespace op::collect {

/// Bytes that the kernel can be asked to copy of a stack, a multiple of 8 (perf_event_open(2),
/// sample_stack_user); most programs need less than the usual.
inline constexpr uint32_t smallest_stack = 1024, usual_stack = 16384, largest_stack = 65528;

}  // namespace op::collect
