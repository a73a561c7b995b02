// SPDX-License-Identifier: GPL-2.0-or-later
// Noise for made-up sessions.
#pragma once

#include <cstdint>

namespace op {

/// Draws the same numbers each time for a seed.
class Draw {
public:
    explicit Draw(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15 + 1) { below(2); }
    uint64_t below(uint64_t limit) {
        state_ = state_ * 6364136223846793005 + 1442695040888963407;
        return (state_ >> 33) % limit;
    }
    /// From 0 to 1.
    double part() { return static_cast<double>(below(1 << 20)) / (1 << 20); }

private:
    uint64_t state_;
};

}  // namespace op
