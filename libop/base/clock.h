// SPDX-License-Identifier: GPL-2.0-or-later
// Clocks as numbers. Durations are measured with std::chrono::steady_clock, which is the monotonic clock.
#pragma once

#include <time.h>

#include <cstdint>
#include <string_view>

namespace op {

/// A time of the system's in ns; wraps around where it does not fit, as that of a file may.
constexpr int64_t nanoseconds(const timespec& time) noexcept {
    return static_cast<int64_t>(static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 +
                                static_cast<uint64_t>(time.tv_nsec));
}

/// CLOCK_MONOTONIC in ns.
inline uint64_t monotonic_ns() noexcept {
    timespec t{};
    ::clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<uint64_t>(nanoseconds(t));
}

/// The clock of the kernel's sample times in ns: CLOCK_MONOTONIC outside all time namespaces.
uint64_t sample_clock_ns() noexcept;
/// The calendar time of a sample time, ns since the epoch, by what the clocks are apart now.
int64_t calendar_ns(uint64_t sample_time) noexcept;
/// How much CLOCK_MONOTONIC of a time namespace is ahead of that, in ns, by the text of
/// /proc/PID/timens_offsets (time_namespaces(7)); 0 for text that is not understood.
int64_t monotonic_offset(std::string_view timens_offsets);

/// Calendar time in seconds since the epoch.
inline time_t epoch_seconds() noexcept {
    return ::time(nullptr);
}

}  // namespace op
