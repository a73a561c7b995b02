// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/base/deadline.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace op {

using std::chrono::hours;
using std::chrono::milliseconds;

TEST(Deadline, has_nothing_left_once_it_has_passed) {
    EXPECT_EQ(Deadline(milliseconds(0)).left(), milliseconds(0));
    EXPECT_EQ(Deadline(milliseconds(-5000)).left(), milliseconds(0));
    EXPECT_GT(Deadline(hours(1)).left(), milliseconds(0));
    EXPECT_LE(Deadline(hours(1)).left(), hours(1));
}

TEST(Deadline, a_wait_ends_with_what_can_be_read_or_with_the_time) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    EXPECT_FALSE(wait_readable(ends[0], Deadline(milliseconds(0))));
    ASSERT_EQ(::write(ends[1], "x", 1), 1);
    EXPECT_TRUE(wait_readable(ends[0], Deadline(hours(1))));
    EXPECT_TRUE(wait_readable(ends[0], Deadline(milliseconds(-1)))) << "what is there is there";
    ::close(ends[0]);
    ::close(ends[1]);
}

}  // namespace op
