// SPDX-License-Identifier: GPL-2.0-or-later
#include "fleet/function_diff.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace op::fleet {
namespace {

constexpr uint64_t total = 100'000;

/// Hosts with loads that differ; function n has about the n-th part of a host's samples, which varies from
/// host to host.
HostCounts hosts(unsigned seed, size_t count, const std::vector<double>& shares, double variation) {
    std::mt19937_64 draw(seed);
    HostCounts counts;
    for (size_t host = 0; host < count; ++host) {
        const uint64_t samples = total / 2 + draw() % total;
        counts.totals[host] = samples;
        for (size_t f = 0; f < shares.size(); ++f) {
            const double moved =
                shares[f] * (1 + variation * (2 * static_cast<double>(draw() % 1000) / 999 - 1));
            const double expected = moved * static_cast<double>(samples);
            std::poisson_distribution<uint64_t> poisson(expected);
            counts.functions[{0, f + 1}][host] = poisson(draw);
        }
    }
    return counts;
}

size_t marks(const FunctionDiff& diff) {
    return static_cast<size_t>(std::ranges::count_if(diff.changes, &FunctionChange::is_significant));
}

TEST(FunctionDiff, has_means_of_the_shares_of_hosts) {
    HostCounts before, after;
    before.totals = {{1, 100}, {2, 1000}};
    before.functions[{0, 7}] = {{1, 50}, {2, 100}};
    after.totals = {{1, 100}, {3, 200}};
    after.functions[{0, 7}] = {{1, 20}};
    const FunctionDiff diff = compare(before, after);
    ASSERT_EQ(diff.changes.size(), 1u);
    EXPECT_DOUBLE_EQ(diff.changes[0].share_before, 0.3);
    EXPECT_DOUBLE_EQ(diff.changes[0].share_after, 0.1);
    EXPECT_EQ(diff.changes[0].samples_before, 150u);
    EXPECT_EQ(diff.changes[0].samples_after, 20u);
    EXPECT_TRUE(diff.is_over_hosts);
    EXPECT_EQ(diff.hosts_after, 2u);
}

TEST(FunctionDiff, of_the_same_release_marks_something_in_one_run_of_twenty_at_most) {
    const std::vector<double> shares = {0.2, 0.1, 0.05, 0.05, 0.02, 0.01, 0.01, 0.005};
    size_t with_marks = 0;
    for (unsigned run = 0; run < 100; ++run) {
        const double variation = 0.1 + 0.002 * run;
        with_marks += marks(compare(hosts(2 * run, 20, shares, variation),
                                    hosts(2 * run + 1, 20, shares, variation))) > 0;
    }
    EXPECT_LE(with_marks, 5u);
}

TEST(FunctionDiff, marks_a_function_that_is_a_tenth_slower_where_hosts_differ_in_load) {
    const std::vector<double> before = {0.2, 0.1, 0.05, 0.01}, after = {0.2, 0.1, 0.05, 0.011};
    const FunctionDiff diff = compare(hosts(1, 20, before, 0.02), hosts(2, 20, after, 0.02));
    EXPECT_EQ(marks(diff), 1u);
    EXPECT_EQ(diff.changes[0].key.func, 4u);
    EXPECT_LT(diff.changes[0].visible, 0.001);
    EXPECT_LT(diff.visible_at_1_percent, 0.001);
}

TEST(FunctionDiff, is_not_sure_of_few_samples_that_are_alike_by_chance) {
    HostCounts before, after;
    before.totals = after.totals = {{1, 1000}, {2, 1000}};
    before.functions[{0, 1}] = {{1, 3}, {2, 3}};
    after.functions[{0, 1}] = {{1, 5}, {2, 5}};
    EXPECT_EQ(marks(compare(before, after)), 0u);
}

TEST(FunctionDiff, of_one_host_is_a_test_of_samples) {
    HostCounts before, after;
    before.totals = after.totals = {{1, 10000}};
    before.functions[{0, 1}] = {{1, 1000}};
    after.functions[{0, 1}] = {{1, 1500}};
    after.functions[{0, 2}] = {{1, 3}};
    const FunctionDiff diff = compare(before, after);
    EXPECT_FALSE(diff.is_over_hosts);
    EXPECT_EQ(marks(diff), 1u);
    EXPECT_EQ(diff.tested, 1u);  // three samples are too few
}

TEST(FunctionDiff, compares_the_functions_with_most_samples_on_either_side) {
    const auto both = functions_of_both({{{0, 1}, 10}, {{0, 2}, 5}}, {{{0, 3}, 7}, {{0, 2}, 8}}, 2);
    ASSERT_EQ(both.size(), 2u);
    EXPECT_EQ(both[0].key.func, 1u);
    EXPECT_EQ(both[1].key.func, 2u);
}

}  // namespace
}  // namespace op::fleet
