// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/jit/held_samples.h"

#include <gtest/gtest.h>

namespace op::collect {

TEST(HeldSamples, samples_of_an_address_within_a_millisecond_are_one_entry) {
    HeldSamples held;
    EXPECT_TRUE(held.add({5, 100, 1, 1}));
    EXPECT_FALSE(held.add({999'999, 100, 1, 2}));
    EXPECT_TRUE(held.add({999'999, 100, 2, 1})) << "another place";
    EXPECT_TRUE(held.add({1'000'005, 100, 1, 1}));
    EXPECT_TRUE(held.add({4, 100, 1, 1})) << "it is earlier";
    EXPECT_EQ(held.take(),
              (std::vector<HeldSample>{
                  {5, 100, 1, 3}, {999'999, 100, 2, 1}, {1'000'005, 100, 1, 1}, {4, 100, 1, 1}}));
    EXPECT_TRUE(held.empty());
    EXPECT_TRUE(held.add({5, 100, 1, 1}));
}

TEST(HeldSamples, a_sum_that_does_not_fit_is_another_entry) {
    HeldSamples held;
    held.add({5, 100, 1, UINT32_MAX});
    EXPECT_TRUE(held.add({6, 100, 1, 1}));
}

}  // namespace op::collect
