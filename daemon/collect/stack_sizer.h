// SPDX-License-Identifier: GPL-2.0-or-later
// Whether copies of stacks are too small: nobody should have to know their size.
#pragma once

#include <cstdint>
#include <utility>

#include "libop/stacks/stack_end.h"

namespace op::collect {

/// Watches why stacks end.
class StackSizer {
public:
    void note(StackEnd end) noexcept {
        ++stacks_;
        short_ += end == StackEnd::dump_short;
        wants_more_ |= short_ >= enough && short_ * share > stacks_;
        if (wants_more_ || stacks_ == window) stacks_ = short_ = 0;
    }
    /// True, once, after a number of stacks of which more than a hundredth lacked bytes that a larger copy
    /// would have.
    bool take_wish() noexcept { return std::exchange(wants_more_, false); }

private:
    static constexpr uint32_t window = 1024, share = 100, enough = 8;

    uint32_t stacks_ = 0, short_ = 0;
    bool wants_more_ = false;
};

}  // namespace op::collect
