// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/session/counted_time.h"

#include <gtest/gtest.h>

namespace op {

TEST(CountedTime, is_partial_below_99_9_percent) {
    EXPECT_FALSE((CountedTime{}).is_partial()) << "not known";
    EXPECT_FALSE((CountedTime{1000000, 1000000}).is_partial());
    EXPECT_FALSE((CountedTime{1000000, 999000}).is_partial());
    EXPECT_TRUE((CountedTime{1000000, 998999}).is_partial());
    EXPECT_TRUE((CountedTime{1000000, 0}).is_partial());
    EXPECT_FALSE((CountedTime{1000000, 2000000}).is_partial()) << "impossible, so not trusted";
    EXPECT_TRUE((CountedTime{UINT64_MAX, UINT64_MAX / 2}).is_partial());
}

TEST(CountedTime, only_what_was_to_be_counted_can_lack_a_counter) {
    EXPECT_TRUE((CountedTime{1, 0}).is_without_counter());
    EXPECT_FALSE((CountedTime{1, 1}).is_without_counter());
    EXPECT_FALSE((CountedTime{}).is_without_counter());
}

TEST(CountedTime, shares_are_from_0_to_1) {
    EXPECT_EQ((CountedTime{}).share(), 1);
    EXPECT_EQ((CountedTime{8, 2}).share(), 0.25);
    EXPECT_EQ((CountedTime{8, 9}).share(), 1);
}

TEST(CountedTime, sums_saturate) {
    CountedTime time{UINT64_MAX - 1, 5};
    time += {2, 6};
    EXPECT_EQ(time, (CountedTime{UINT64_MAX, 11}));
}

}  // namespace op
