// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/collect/held_stacks.h"

#include <gtest/gtest.h>

namespace op::collect {
namespace {

/// A stack of that many frames; the innermost one is of run-time code.
HeldStack stack_at(uint64_t address, size_t frames = 1) {
    HeldStack stack;
    stack.frames.assign(frames, StackFrame{});
    stack.code.push_back({0, ImageRef{}});
    stack.addresses.push_back(address);
    return stack;
}

}  // namespace

TEST(HeldStacks, equal_ones_have_one_number) {
    HeldStacks stacks;
    const auto first = stacks.number(stack_at(0x10)), second = stacks.number(stack_at(0x20));
    ASSERT_TRUE(first && second);
    EXPECT_NE(*first, *second);
    EXPECT_EQ(stacks.number(stack_at(0x10)), first);
    EXPECT_EQ(stacks.at(*second), stack_at(0x20));
}

TEST(HeldStacks, those_that_differ_in_one_field_have_numbers_of_their_own) {
    HeldStacks stacks;
    std::vector<HeldStack> all(7, stack_at(0x10));
    all[1].key.event = 1;
    all[2].app = 1;
    all[3].tid = 1;
    all[4].end = StackEnd::dump_short;
    all[5].numbering = 1;
    all[6].code[0].region.tgid = 7;
    for (uint32_t i = 0; i < all.size(); ++i)
        EXPECT_EQ(stacks.number(all[i]), i);
    for (uint32_t i = 0; i < all.size(); ++i)
        EXPECT_EQ(stacks.at(i), all[i]);
}

TEST(HeldStacks, beyond_the_most_only_known_ones_have_numbers) {
    HeldStacks stacks;
    for (uint64_t i = 0; i < HeldStacks::most; ++i)
        ASSERT_TRUE(stacks.number(stack_at(i)));
    EXPECT_EQ(stacks.quarters_full(), 4u);
    EXPECT_FALSE(stacks.number(stack_at(HeldStacks::most)));
    EXPECT_EQ(stacks.number(stack_at(5)), 5u);
}

TEST(HeldStacks, their_frames_are_limited) {
    HeldStacks stacks;
    constexpr size_t quarter = HeldStacks::most_frames / 4;
    for (uint64_t i = 0; i < 4; ++i) {
        EXPECT_EQ(stacks.quarters_full(), i);
        ASSERT_TRUE(stacks.number(stack_at(i, quarter)));
    }
    EXPECT_FALSE(stacks.number(stack_at(4)));
    EXPECT_GE(stacks.quarters_full(), 4u);
}

TEST(HeldStacks, cleared_they_begin_at_the_first_number) {
    HeldStacks stacks;
    stacks.number(stack_at(1, HeldStacks::most_frames));
    stacks.clear();
    EXPECT_EQ(stacks.quarters_full(), 0u);
    EXPECT_EQ(stacks.number(stack_at(2)), 0u);
    EXPECT_EQ(stacks.at(0), stack_at(2));
}

}  // namespace op::collect
