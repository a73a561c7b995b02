// SPDX-License-Identifier: GPL-2.0-or-later
#include "libpp/profile/percent.h"

#include <gtest/gtest.h>

namespace op::pp {

TEST(Percent, is_seven_columns_wide_as_scripts_expect) {
    const std::pair<double, const char*> rows[] = {
        {0, "      0"},    {100, "100.000"},      {90.67218, "90.6722"},  {9.32782, " 9.3278"},
        {0.5, " 0.5000"},  {0.0011, " 0.0011"},   {0.001, "1.0e-03"},     {0.00071, "7.1e-04"},
        {1e-9, "1.0e-09"}, {99.99999, "100.000"}, {100.00005, "100.000"}, {1e-300, "1.0e-300"},
    };
    for (const auto& [percent, text] : rows)
        EXPECT_EQ(format_percent(percent), text) << percent;
}

TEST(Percent, is_zero_for_a_total_of_zero) {
    EXPECT_EQ(percent_of(0, 0), 0);
    EXPECT_EQ(percent_of(5, 0), 0);
    EXPECT_EQ(percent_of(1, 4), 25);
}

TEST(Percent, is_right_for_the_greatest_counts) {
    EXPECT_EQ(percent_of(~uint64_t{0}, ~uint64_t{0}), 100);
}

}  // namespace op::pp
