// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/collect/stack_sizer.h"

#include <gtest/gtest.h>

namespace op::collect {
namespace {

constexpr uint64_t little = 4000, much = 30000;

void note_usual(StackSizer& sizer, StackEnd end, int times = 1) {
    for (int i = 0; i < times; ++i)
        sizer.note(end, usual_stack, little);
}

void note_larger(StackSizer& sizer, uint64_t read, int times = 1) {
    for (int i = 0; i < times; ++i)
        sizer.note(StackEnd::root, largest_stack, read);
}

}  // namespace

TEST(StackSizer, wishes_for_more_at_the_second_stack_of_a_burst) {
    StackSizer sizer;
    note_usual(sizer, StackEnd::root, 5000);
    note_usual(sizer, StackEnd::dump_short);
    EXPECT_EQ(sizer.take_wish(), StackWish::none);
    note_usual(sizer, StackEnd::root, 98);
    note_usual(sizer, StackEnd::dump_short);
    EXPECT_EQ(sizer.take_wish(), StackWish::larger);
    EXPECT_EQ(sizer.take_wish(), StackWish::none) << "a wish is taken once";
}

TEST(StackSizer, is_content_with_one_short_stack_in_a_hundred) {
    StackSizer sizer;
    for (int i = 1; i <= 100000; ++i) {
        note_usual(sizer, i % 100 == 0 ? StackEnd::dump_short : StackEnd::root);
        ASSERT_EQ(sizer.take_wish(), StackWish::none) << i;
    }
}

TEST(StackSizer, other_ends_are_no_reason_for_larger_copies) {
    StackSizer sizer;
    for (int i = 0; i < 5000; ++i)
        note_usual(sizer, i % 2 ? StackEnd::no_info : StackEnd::page_absent);
    EXPECT_EQ(sizer.take_wish(), StackWish::none);
}

TEST(StackSizer, keeps_larger_copies_while_they_are_read) {
    StackSizer sizer;
    for (int i = 0; i < 100000; ++i) {
        note_larger(sizer, i % 250 ? little : much);
        ASSERT_EQ(sizer.take_wish(), StackWish::none) << i;
    }
}

TEST(StackSizer, keeps_larger_copies_while_even_they_are_short) {
    StackSizer sizer;
    for (int i = 0; i < 100000; ++i) {
        sizer.note(i % 250 ? StackEnd::root : StackEnd::dump_short, largest_stack, little);
        ASSERT_EQ(sizer.take_wish(), StackWish::none) << i;
    }
}

TEST(StackSizer, returns_to_the_usual_copies_when_they_had_been_enough) {
    StackSizer sizer;
    note_larger(sizer, much);
    note_larger(sizer, little, 255);
    EXPECT_EQ(sizer.take_wish(), StackWish::none);
    note_larger(sizer, little);
    EXPECT_EQ(sizer.take_wish(), StackWish::smaller);
}

TEST(StackSizer, returns_later_each_time) {
    StackSizer sizer;
    int larger = 0, usual = 0;
    bool is_larger = true;
    for (int i = 0; i < 100000; ++i) {  // a burst of deep stacks whenever the copies are the usual ones
        if (is_larger)
            note_larger(sizer, little), ++larger;
        else
            note_usual(sizer, StackEnd::dump_short), ++usual;
        const StackWish wish = sizer.take_wish();
        if (wish != StackWish::none) is_larger = wish == StackWish::larger;
    }
    EXPECT_LE(usual, 12);
    EXPECT_GE(larger, 99988);
}

}  // namespace op::collect
