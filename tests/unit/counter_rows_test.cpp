// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/count/counter_rows.h"

#include <gtest/gtest.h>

namespace op::collect {
namespace {

using Readings = std::vector<CounterReading>;

/// Two events on two CPUs.
const std::vector<CounterKey> by_cpu = {{0, {}, 0}, {0, {}, 1}, {1, {}, 0}, {1, {}, 1}};

std::vector<CountRow> rows(const Readings& after, CountSeparation separation = CountSeparation::none,
                           const Readings& before = {}) {
    const std::vector<CounterKey> one = {{0, 7, {}}};
    return make_count_rows(after.size() == 1 ? one : by_cpu, before, after, separation);
}

}  // namespace

TEST(Counts, a_counter_that_ran_all_the_time_is_not_scaled) {
    const auto row = rows({{1234, 1000, 1000}}).at(0);
    EXPECT_EQ(row.count, 1234u);
    EXPECT_FALSE(row.is_scaled);
    EXPECT_DOUBLE_EQ(row.share(), 1.0);
}

TEST(Counts, a_counter_that_ran_part_of_the_time_is_scaled_up) {
    const auto row = rows({{1000, 4000, 1000}}).at(0);
    EXPECT_EQ(row.count, 4000u);
    EXPECT_EQ(row.counted, 1000u);
    EXPECT_TRUE(row.is_scaled);
    EXPECT_DOUBLE_EQ(row.share(), 0.25);
}

TEST(Counts, a_share_of_99_percent_is_enough) {
    EXPECT_FALSE(rows({{100, 10000, 9900}}).at(0).is_scaled);
    EXPECT_TRUE(rows({{100, 10000, 9899}}).at(0).is_scaled);
}

TEST(Counts, a_counter_that_never_ran_has_no_count) {
    EXPECT_FALSE(rows({{0, 1000, 0}}).at(0).is_counted());
    EXPECT_FALSE(rows({{0, 0, 0}}).at(0).is_counted());
    EXPECT_TRUE(rows({{0, 1000, 1}}).at(0).is_counted());
}

// A busy CPU whose counter had a tenth of the time and an idle one with all of it: one share for both would
// be wrong by far.
TEST(Counts, each_counter_is_scaled_by_its_own_share) {
    const auto all = rows({{1000, 1000, 100}, {5, 1000, 1000}, {0, 1000, 1000}, {0, 1000, 0}});
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].count, 10005u);
    EXPECT_DOUBLE_EQ(all[0].share(), 0.55);
    EXPECT_TRUE(all[1].is_counted());
    EXPECT_DOUBLE_EQ(all[1].share(), 0.5) << "a counter that never ran lowers the share";
    EXPECT_FALSE(all[0].is_incomplete);
    EXPECT_TRUE(all[1].is_incomplete);
    EXPECT_FALSE(rows({{0, 0, 0}}).at(0).is_incomplete) << "nothing was missed";
}

TEST(Counts, are_separated_by_cpu_on_request) {
    const auto all = rows({{1, 9, 9}, {2, 9, 9}, {3, 9, 9}, {4, 9, 9}}, CountSeparation::cpu);
    ASSERT_EQ(all.size(), 4u);
    EXPECT_EQ(all[1].key, (CounterKey{0, {}, 1}));
    EXPECT_EQ(all[1].count, 2u);
    EXPECT_EQ(all[3].count, 4u);
}

TEST(Counts, are_separated_by_task_on_request) {
    EXPECT_EQ(rows({{5, 9, 9}}, CountSeparation::task).at(0).key.task, 7u);
    EXPECT_EQ(rows({{5, 9, 9}}).at(0).key.task, std::nullopt);
}

TEST(Counts, start_again_at_each_interval) {
    const auto row = rows({{3000, 6000, 3000}}, CountSeparation::none, {{1000, 2000, 2000}}).at(0);
    EXPECT_EQ(row.counted, 2000u);
    EXPECT_EQ(row.count, 8000u) << "scaled by the share of the interval alone";
    EXPECT_DOUBLE_EQ(row.share(), 0.25);
}

TEST(Counts, rows_are_in_the_order_of_events) {
    const std::vector<CounterKey> by_task = {{0, 1, {}}, {1, 1, {}}, {0, 2, {}}, {1, 2, {}}};
    const auto all = make_count_rows(by_task, {}, Readings(4), CountSeparation::task);
    ASSERT_EQ(all.size(), 4u);
    EXPECT_EQ(all[1].key, (CounterKey{0, 2, {}}));
    EXPECT_EQ(all[2].key, (CounterKey{1, 1, {}}));
}

TEST(Counts, too_large_for_a_number_are_the_greatest_one) {
    EXPECT_GE(rows({{UINT64_MAX, 1000, 1}}).at(0).count, UINT64_MAX - 4096);
}

}  // namespace op::collect
