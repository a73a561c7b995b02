// SPDX-License-Identifier: GPL-2.0-or-later
// Whether copies of stacks are too small or larger than needed: nobody should have to know their size.
#pragma once

#include <cstdint>
#include <utility>

#include "daemon/source/stack_copies.h"
#include "libop/stacks/stack_end.h"

namespace op::collect {

/// Watches how much of the copies was read and why stacks end. Stacks that need more than the usual copy come
/// in a row, while a program starts or recurses.
class StackSizer {
public:
    /// `copied`: bytes that were asked for; `read`: how far from its start the copy was read.
    void note(StackEnd end, uint64_t copied, uint64_t read) noexcept {
        const bool is_short = end == StackEnd::dump_short;
        if (copied <= usual_stack)
            note_usual(is_short);
        else
            note_larger(is_short || read > usual_stack);
    }
    /// Once each: larger copies, after two of a hundred stacks lacked bytes; smaller ones, after a time in
    /// which the usual ones had been enough. That time grows, so that a program of changing needs has the
    /// larger ones for most of it.
    StackWish take_wish() noexcept { return std::exchange(wish_, StackWish::none); }

private:
    void note_usual(bool is_short) noexcept {
        since_short_ += since_short_ < rare;
        if (!is_short) return;
        if (since_short_ < rare) wish_ = StackWish::larger;
        since_short_ = 0;
        enough_ = 0;
    }
    void note_larger(bool is_needed) noexcept {
        enough_ = is_needed ? 0 : enough_ + 1;
        if (enough_ < patience_) return;
        wish_ = StackWish::smaller;
        patience_ *= 4;
        enough_ = 0;
        since_short_ = rare;
    }

    static constexpr uint64_t rare = 100, first_patience = 256;

    uint64_t since_short_ = rare;  ///< stacks since the last one that was too large for the usual copy
    uint64_t enough_ = 0;          ///< larger copies since the last one that was needed
    uint64_t patience_ = first_patience;
    StackWish wish_ = StackWish::none;
};

}  // namespace op::collect
