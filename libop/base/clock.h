// SPDX-License-Identifier: GPL-2.0-or-later
// Clocks as numbers. Durations are measured with std::chrono::steady_clock, which is the monotonic clock.
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

/// Calendar time in seconds since the epoch.
inline time_t epoch_seconds() noexcept {
    return ::time(nullptr);
}

}  // namespace op
