// SPDX-License-Identifier: GPL-2.0-or-later
// The monotonic clock as a number. Durations are measured with std::chrono::steady_clock, which is the same
// clock; calendar time is ::time().
#pragma once

#include <time.h>

#include <cstdint>

namespace op {

/// CLOCK_MONOTONIC in ns, the clock of the kernel's sample times.
inline uint64_t monotonic_ns() noexcept {
    timespec t{};
    ::clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(t.tv_nsec);
}

}  // namespace op
