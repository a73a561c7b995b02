// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/events/counter_alloc.h"

#include <gtest/gtest.h>

namespace op {

namespace {

using Masks = std::vector<CounterMask>;
using Numbers = std::vector<int>;

std::optional<Numbers> allocate(const Masks& masks, unsigned counters) {
    return allocate_counters(masks, counters);
}

/// The first assignment that a search through all of them in order finds.
bool search(const Masks& masks, size_t event, uint32_t free, Numbers& numbers) {
    if (event == masks.size()) return true;
    for (int counter = 0; counter < 32; ++counter) {
        if ((*masks[event] & free & 1u << counter) == 0) continue;
        numbers.push_back(counter);
        if (search(masks, event + 1, free & ~(1u << counter), numbers)) return true;
        numbers.pop_back();
    }
    return false;
}

}  // namespace

// The masks are those of the processors' manuals.
TEST(CounterAlloc, pentium_pro_events_take_their_counters) {
    constexpr uint32_t any = 3, first = 1, second = 2;
    EXPECT_EQ(allocate({any, any}, 2), (Numbers{0, 1}));
    EXPECT_EQ(allocate({first, second}, 2), (Numbers{0, 1}));  // FLOPS, FP_ASSIST
    EXPECT_EQ(allocate({second, first}, 2), (Numbers{1, 0}));
    EXPECT_EQ(allocate({first, first}, 2), std::nullopt);  // COMP_FLOP_RET, FLOPS
}

TEST(CounterAlloc, pentium_4_events_fill_all_groups) {
    constexpr uint32_t bpu = 0x11, ms = 0x22, flame = 0x44, iq = 0x88;
    EXPECT_EQ(allocate({iq, iq, bpu, bpu, flame, flame, ms, ms}, 8), (Numbers{3, 7, 0, 4, 2, 6, 1, 5}));
    EXPECT_EQ(allocate({iq, iq, bpu, bpu, flame, flame, ms, iq}, 8), std::nullopt);
}

TEST(CounterAlloc, a_later_event_makes_an_earlier_one_move) {
    EXPECT_EQ(allocate({3u, 1u}, 2), (Numbers{1, 0}));  // MIPS 34K: DTLB_MISSES, JR_31_INSNS
}

TEST(CounterAlloc, counters_that_are_not_there_hold_nothing) {
    EXPECT_EQ(allocate({0xcu}, 2), std::nullopt);
    EXPECT_EQ(allocate({0xcu}, 4), (Numbers{2}));
    EXPECT_EQ(allocate({0x80000000u}, 32), (Numbers{31}));
    EXPECT_EQ(allocate({1u}, 0), std::nullopt);
}

TEST(CounterAlloc, events_without_counter_take_none) {
    EXPECT_EQ(allocate({std::nullopt, 1u, std::nullopt}, 1), (Numbers{-1, 0, -1}));
    EXPECT_EQ(allocate({}, 1), Numbers{});
}

TEST(CounterAlloc, it_finds_what_a_full_search_finds_first) {
    uint32_t seed = 1;
    for (int round = 0; round < 500; ++round) {
        Masks masks;
        for (int event = 0; event < 5; ++event) {
            seed = seed * 1664525 + 1013904223;
            masks.emplace_back(seed >> 20 & 0x3f);
        }
        Numbers expected;
        const bool found = search(masks, 0, 0x3f, expected);
        EXPECT_EQ(allocate(masks, 6), found ? std::optional(expected) : std::nullopt);
    }
}

TEST(CounterAlloc, many_events_that_do_not_fit_are_refused_at_once) {
    EXPECT_EQ(allocate(Masks(24, CounterMask{0x7fffffu}), 32), std::nullopt);
    EXPECT_TRUE(allocate(Masks(24, CounterMask{0xffffffu}), 32).has_value());
}

}  // namespace op
