// SPDX-License-Identifier: GPL-2.0-or-later
// The offset of this process' time namespace.
#include "libop/base/clock.h"

#include <limits>
#include <optional>
#include <string>

#include "libop/base/kernel_file.h"
#include "libop/base/text.h"

namespace op {
namespace {

constexpr int64_t second = 1'000'000'000;

std::optional<int64_t> parse_signed(std::string_view text) {
    const bool is_negative = text.starts_with('-');
    if (is_negative) text.remove_prefix(1);
    const auto number = parse_number(text);
    if (!number || *number > std::numeric_limits<int64_t>::max() / second) return std::nullopt;
    return is_negative ? -static_cast<int64_t>(*number) : static_cast<int64_t>(*number);
}

/// The file has the offsets of the namespace that children are born in, mostly the own one.
int64_t own_offset() {
    if (read_kernel_link("/proc/self/ns/time") != read_kernel_link("/proc/self/ns/time_for_children"))
        return 0;
    return monotonic_offset(read_kernel_file("/proc/self/timens_offsets"));
}

}  // namespace

int64_t monotonic_offset(std::string_view timens_offsets) {
    while (!timens_offsets.empty()) {
        std::string_view line = take_line(timens_offsets);
        const auto clock = take_word(line);
        // Older kernels have the clock's number.
        if (clock != "monotonic" && clock != "1") continue;
        const auto seconds = parse_signed(take_word(line));
        const auto rest = parse_number(take_word(line));
        if (!seconds || !rest || *rest >= static_cast<uint64_t>(second)) return 0;
        return *seconds * second + static_cast<int64_t>(*rest);
    }
    return 0;
}

uint64_t sample_clock_ns() noexcept {
    static const int64_t offset = own_offset();
    return monotonic_ns() - static_cast<uint64_t>(offset);
}

int64_t calendar_ns(uint64_t sample_time) noexcept {
    const uint64_t sample_now = sample_clock_ns();
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    return static_cast<int64_t>(sample_time + (static_cast<uint64_t>(nanoseconds(now)) - sample_now));
}

}  // namespace op
