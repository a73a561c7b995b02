// SPDX-License-Identifier: GPL-2.0-or-later
// Limits what may be spent: some at once, then so much a second.
#pragma once

#include <algorithm>
#include <cstdint>

namespace op {

/// What one unit is worth is a time; time that passes pays. Times are ns of a clock that only goes forward.
/// Not thread-safe.
class RateLimit {
public:
    /// The time that pays one unit, and how much time is saved up at most.
    constexpr RateLimit(uint64_t unit_time, uint64_t saved) noexcept : unit_time_(unit_time), saved_(saved) {}

    /// The units that may be spent now.
    uint64_t left(uint64_t now) const noexcept {
        return std::min(now - std::min(now, paid_at_), saved_) / unit_time_;
    }
    /// Spends units, also more than are left: they are paid later.
    void charge(uint64_t units, uint64_t now) noexcept {
        paid_at_ = std::max(paid_at_, now - std::min(now, saved_)) + units * unit_time_;
    }

private:
    uint64_t unit_time_, saved_;
    uint64_t paid_at_ = 0;  ///< when nothing that was spent is still to be paid
};

}  // namespace op
