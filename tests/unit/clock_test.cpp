// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/base/clock.h"

#include <gtest/gtest.h>

namespace op {

TEST(Clock, the_offset_of_a_time_namespace_is_that_of_its_monotonic_clock) {
    EXPECT_EQ(monotonic_offset("monotonic           0         0\nboottime            0         0\n"), 0);
    EXPECT_EQ(monotonic_offset("boottime 5 6\nmonotonic       86400 250000000\n"), 86400'250'000'000);
    EXPECT_EQ(monotonic_offset("monotonic       -3600         1\nboottime 5 0\n"), -3599'999'999'999);
    EXPECT_EQ(monotonic_offset("1 7 0\n7 5 0\n"), 7'000'000'000);
}

TEST(Clock, a_sample_time_of_now_is_the_calendar_time_of_now) {
    timespec before{}, after{};
    ::clock_gettime(CLOCK_REALTIME, &before);
    const int64_t now = calendar_ns(sample_clock_ns());
    ::clock_gettime(CLOCK_REALTIME, &after);
    EXPECT_GE(now / 1'000'000'000, before.tv_sec - 1);
    EXPECT_LE(now / 1'000'000'000, after.tv_sec + 1);
}

TEST(Clock, an_offset_that_is_not_understood_is_left_out) {
    for (const char* text : {"", "\n", "monotonic", "monotonic 1", "monotonic x 0", "monotonic 1 1000000000",
                             "monotonic 9223372036854775807 0", "monotonic -- 0", "boottime 1 2\n"})
        EXPECT_EQ(monotonic_offset(text), 0) << text;
}

}  // namespace op
