// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/collect/stack_sizer.h"

#include <gtest/gtest.h>

namespace op::collect {
namespace {

void note_usual(StackSizer& sizer, StackEnd end, int times = 1) {
    for (int i = 0; i < times; ++i)
        sizer.note(end, usual_stack);
}

}  // namespace

TEST(StackSizer, wishes_for_more_at_the_second_stack_of_a_burst) {
    StackSizer sizer;
    note_usual(sizer, StackEnd::root, 5000);
    note_usual(sizer, StackEnd::dump_short);
    EXPECT_FALSE(sizer.take_wish());
    note_usual(sizer, StackEnd::root, 98);
    note_usual(sizer, StackEnd::dump_short);
    EXPECT_TRUE(sizer.take_wish());
    EXPECT_FALSE(sizer.take_wish()) << "a wish is taken once";
}

TEST(StackSizer, is_content_with_one_short_stack_in_a_hundred) {
    StackSizer sizer;
    for (int i = 1; i <= 100000; ++i) {
        note_usual(sizer, i % 100 == 0 ? StackEnd::dump_short : StackEnd::root);
        ASSERT_FALSE(sizer.take_wish()) << i;
    }
}

TEST(StackSizer, other_ends_are_no_reason_for_larger_copies) {
    StackSizer sizer;
    for (int i = 0; i < 5000; ++i)
        note_usual(sizer, i % 2 ? StackEnd::no_info : StackEnd::page_absent);
    EXPECT_FALSE(sizer.take_wish());
}

TEST(StackSizer, what_no_copy_can_hold_is_no_reason_for_larger_ones) {
    StackSizer sizer;
    for (int i = 0; i < 1000; ++i)
        sizer.note(StackEnd::dump_short, usual_stack, 200'000);
    EXPECT_FALSE(sizer.take_wish());
}

TEST(StackSizer, nothing_larger_is_wished_for_than_there_is) {
    StackSizer sizer;
    for (int i = 0; i < 1000; ++i)
        sizer.note(StackEnd::dump_short, largest_stack);
    EXPECT_FALSE(sizer.take_wish());
    note_usual(sizer, StackEnd::dump_short, 2);
    EXPECT_TRUE(sizer.take_wish());
}

}  // namespace op::collect
