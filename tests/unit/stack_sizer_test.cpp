// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/collect/stack_sizer.h"

#include <gtest/gtest.h>

namespace op::collect {

TEST(StackSizer, wishes_for_more_at_once_where_no_copy_is_large_enough) {
    StackSizer sizer;
    int noted = 0;
    while (!sizer.take_wish() && noted < 1000) {
        sizer.note(StackEnd::dump_short);
        ++noted;
    }
    EXPECT_EQ(noted, 8);
    EXPECT_FALSE(sizer.take_wish()) << "a wish is taken once";
}

TEST(StackSizer, is_content_with_one_short_stack_in_two_hundred) {
    StackSizer sizer;
    for (int i = 1; i <= 100000; ++i) {
        sizer.note(i % 200 == 0 ? StackEnd::dump_short : StackEnd::root);
        ASSERT_FALSE(sizer.take_wish()) << i;
    }
}

TEST(StackSizer, wishes_for_more_where_three_in_a_hundred_are_short) {
    StackSizer sizer;
    for (int i = 1; i <= 1000; ++i)
        sizer.note(i % 33 == 0 ? StackEnd::dump_short : StackEnd::root);
    EXPECT_TRUE(sizer.take_wish());
}

TEST(StackSizer, other_ends_are_no_reason_for_larger_copies) {
    StackSizer sizer;
    for (int i = 0; i < 5000; ++i)
        sizer.note(i % 2 ? StackEnd::no_info : StackEnd::page_absent);
    EXPECT_FALSE(sizer.take_wish());
}

}  // namespace op::collect
