// SPDX-License-Identifier: GPL-2.0-or-later
// Whether copies of stacks are too small: nobody should have to know their size.
#pragma once

#include <cstdint>
#include <utility>

#include "daemon/source/stack_copies.h"
#include "libop/stacks/stack_end.h"

namespace op::collect {

/// Watches why stacks end. Stacks that need more than the usual copy come in a row, while a program starts or
/// recurses.
class StackSizer {
public:
    /// `copied`: bytes that were asked for; `missed`: how far from the copy's start the word is that a short
    /// one lacks. One that no copy can hold is no reason for larger ones.
    void note(StackEnd end, uint64_t copied, uint64_t missed = 0) noexcept {
        if (copied > usual_stack) return;
        since_short_ += since_short_ < rare;
        if (end != StackEnd::dump_short || missed >= largest_stack) return;
        has_wish_ |= since_short_ < rare;
        since_short_ = 0;
    }
    /// True, once, after two of a hundred stacks lacked bytes.
    bool take_wish() noexcept { return std::exchange(has_wish_, false); }

private:
    static constexpr uint64_t rare = 100;

    uint64_t since_short_ = rare;  ///< stacks since the last one that was too large for the usual copy
    bool has_wish_ = false;
};

}  // namespace op::collect
