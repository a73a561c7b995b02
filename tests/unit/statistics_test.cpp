// SPDX-License-Identifier: GPL-2.0-or-later
#include "libpp/profile/statistics.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace op::pp {

// R. G. Newcombe, Statistics in Medicine 17 (1998), 857-872, table I, method 3.
TEST(Statistics, wilson_intervals_are_those_published) {
    const auto expect = [](double count, double total, double low, double high) {
        const Interval interval = share_interval({count, total});
        EXPECT_NEAR(interval.low, low, 0.00005) << count << " of " << total;
        EXPECT_NEAR(interval.high, high, 0.00005) << count << " of " << total;
    };
    expect(81, 263, 0.2553, 0.3662);
    expect(15, 148, 0.0624, 0.1605);
    expect(0, 20, 0, 0.1611);
    expect(1, 29, 0.0061, 0.1718);
}

TEST(Statistics, intervals_stay_within_what_is_possible) {
    EXPECT_EQ(share_interval({0, 1000}).low, 0);
    EXPECT_EQ(share_interval({1000, 1000}).high, 1);
    EXPECT_EQ(share_interval({0, 0}).low, 0);
    EXPECT_EQ(share_interval({0, 0}).high, 1);
    const Interval huge = share_interval({9e18, 1.8e19});
    EXPECT_LE(huge.low, 0.5);
    EXPECT_GE(huge.high, 0.5);
}

// R. G. Newcombe, Statistics in Medicine 17 (1998), 873-890, table II, method 10, of which the differences
// are the first share less the second.
TEST(Statistics, intervals_of_differences_are_those_published) {
    const auto expect = [](Part first, Part second, double low, double high) {
        const Interval interval = difference_interval(second, first);
        EXPECT_NEAR(interval.low, low, 0.00005) << first.count << " of " << first.total;
        EXPECT_NEAR(interval.high, high, 0.00005) << first.count << " of " << first.total;
    };
    expect({56, 70}, {48, 80}, 0.0524, 0.3339);
    expect({9, 10}, {3, 10}, 0.1705, 0.8090);
    expect({5, 56}, {0, 29}, -0.0381, 0.1926);
    expect({0, 10}, {0, 20}, -0.1611, 0.2775);
    expect({10, 10}, {0, 10}, 0.6075, 1.0000);
}

// The Physicians' Health Study, New England Journal of Medicine 321 (1989), 129-135: 189 heart attacks of
// 11034 without aspirin, 104 of 11037 with it; z = 5.00.
TEST(Statistics, z_test_of_many_samples) {
    const double p = equal_shares_probability({189, 11034}, {104, 11037});
    EXPECT_NEAR(p, std::erfc(5.0014 / std::sqrt(2.0)), 1e-9);
    EXPECT_EQ(p, equal_shares_probability({104, 11037}, {189, 11034}));
}

// Twice the tail of the binomial distribution, computed with whole numbers.
TEST(Statistics, rates_are_alike_up_to_a_tenth) {
    EXPECT_EQ(alike_rates_probability({1000, 1}, {1100, 1}), 1);
    EXPECT_EQ(alike_rates_probability({1100, 1}, {1000, 1}), 1);
    EXPECT_EQ(alike_rates_probability({0, 1}, {0, 1}), 1);
    EXPECT_NEAR(alike_rates_probability({20, 1}, {60, 1}), 5.517657086637512e-05, 1e-12);
    EXPECT_NEAR(alike_rates_probability({60, 1}, {20, 1}), 5.517657086637512e-05, 1e-12);
    EXPECT_NEAR(alike_rates_probability({0, 1}, {10, 1}), 0.0031100251416539145, 1e-12);
    EXPECT_NEAR(alike_rates_probability({30, 2}, {100, 1}), 0.05073819498732047, 1e-12);
}

TEST(Statistics, many_samples_are_tested_as_few_are) {
    const double few = alike_rates_probability({4600, 1}, {5300, 1}),
                 many = alike_rates_probability({4700, 1}, {5410, 1});
    EXPECT_NEAR(few, many, 0.1 * few);
    EXPECT_GT(few, 1e-6);
    EXPECT_LT(few, 0.1);
}

// R. A. Fisher, The Design of Experiments (1935), the lady who tastes tea: 17 of 70 for three of four or
// more, and as much on the other side.
TEST(Statistics, exact_test_of_few_samples) {
    EXPECT_NEAR(equal_shares_probability({3, 4}, {1, 4}), 34.0 / 70, 1e-12);
    EXPECT_NEAR(equal_shares_probability({4, 4}, {0, 4}), 2.0 / 70, 1e-12);
    EXPECT_EQ(equal_shares_probability({0, 10}, {0, 20}), 1);
    EXPECT_EQ(equal_shares_probability({10, 10}, {20, 20}), 1);
    EXPECT_EQ(equal_shares_probability({0, 0}, {5, 20}), 1);
}

TEST(Statistics, exact_test_of_a_rare_symbol_among_very_many_samples) {
    // Nearly the binomial distribution of its 8 samples: 2 / 256.
    EXPECT_NEAR(equal_shares_probability({0, 1e12}, {8, 1e12}), 2.0 / 256, 1e-8);
    EXPECT_EQ(equal_shares_probability({1e6, 1e6}, {0, 1e18}), 0);  // ends soon
}

// Student, Biometrika 6 (1908), 1-25: hours of sleep gained by two drugs. Welch's test is the example of R's
// t.test: t = -1.8608, 17.776 degrees of freedom, p = 0.07939.
TEST(Statistics, welch_test_of_the_sleep_data) {
    const std::array first{0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
    const std::array second{1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};
    EXPECT_NEAR(equal_means_probability(first, second), 0.07939, 0.000005);
    const std::array same{2.0, 2.0, 2.0};
    const std::array other{3.0, 3.0};
    EXPECT_EQ(equal_means_probability(same, same), 1);
    EXPECT_EQ(equal_means_probability(same, other), 0);
    const std::array three{0.1, 0.1, 0.1};
    const std::array seven{0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1};
    EXPECT_EQ(equal_means_probability(three, seven), 1) << "rounded sums are no difference";
}

// The interval is that of the same example.
TEST(Statistics, welch_interval_of_the_sleep_data) {
    const std::array first{0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
    const std::array second{1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};
    const Interval interval = mean_difference_interval(second, first);
    EXPECT_NEAR(interval.low, -3.3654832, 1e-7);
    EXPECT_NEAR(interval.high, 0.2054832, 1e-7);
    const std::array same{2.0, 2.0, 2.0};
    EXPECT_EQ(mean_difference_interval(same, same).low, 0);
    EXPECT_EQ(mean_difference_interval(same, same).high, 0);
}

// Student's distribution as printed tables have it.
TEST(Statistics, quantiles_of_students_distribution) {
    EXPECT_NEAR(student_quantile(0.975, 1), 12.7062, 0.00005);
    EXPECT_NEAR(student_quantile(0.975, 2), 4.30265, 0.000005);
    EXPECT_NEAR(student_quantile(0.975, 10), 2.22814, 0.000005);
    EXPECT_NEAR(student_quantile(0.8, 4), 0.94096, 0.000005);
    EXPECT_NEAR(student_quantile(0.975, 1e7), 1.95996, 0.000005);
    EXPECT_NEAR(student_quantile(0.5, 5), 0, 1e-7);
}

// The worked example of Benjamini and Hochberg (1995), section 3.3: of 15 hypotheses 4 are rejected.
TEST(Statistics, discoveries_are_those_of_the_paper) {
    const std::array p{0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
                       0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.000};
    const std::vector<bool> found = discoveries(p);
    for (size_t i = 0; i < p.size(); ++i)
        EXPECT_EQ(found[i], i < 4) << p[i];
    EXPECT_TRUE(discoveries({}).empty());
}

TEST(Statistics, discoveries_keep_the_order_of_the_tests) {
    const std::array p{0.9, 0.001, 0.04, 0.8};
    EXPECT_EQ(discoveries(p), (std::vector<bool>{false, true, false, false}));
    const std::array all{0.04, 0.05, 0.03, 0.045};  // the greatest is at the limit
    EXPECT_EQ(discoveries(all), (std::vector<bool>{true, true, true, true}));
}

TEST(Statistics, smallest_change_falls_with_the_root_of_the_samples) {
    EXPECT_NEAR(smallest_change(0.01, 1e4, 1e4), 0.0039, 0.00005);
    EXPECT_NEAR(smallest_change(0.01, 1e6, 1e6), 0.00039, 0.000005);
    EXPECT_EQ(smallest_change(0.01, 0, 1e6), 1);
}

TEST(Statistics, smallest_change_of_means_is_for_the_spread_of_runs) {
    const std::array totals{1000.0, 2000.0, 4000.0};
    EXPECT_NEAR(mean_variance(0.01, totals), 0.0099 * 0.00175 / 9, 1e-15);
    // Student's quantiles with 4 degrees of freedom: 2.77645 and 0.94096.
    EXPECT_NEAR(smallest_mean_change(1e-6, 6), 0.00371741, 5e-9);
    EXPECT_EQ(smallest_mean_change(100, 6), 1);
}

}  // namespace op::pp
