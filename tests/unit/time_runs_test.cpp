// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/import/time_runs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace op::collect {
namespace {

using Times = std::vector<uint64_t>;

/// The positions of things of those times, one byte each, in the order in which they come.
std::vector<size_t> order(const Times& times, TimeRuns& runs) {
    for (size_t i = 0; i < times.size(); ++i)
        runs.add(i, i + 1, times[i]);
    std::vector<size_t> positions;
    for (runs.begin(); !runs.is_done();) {
        const size_t at = runs.position();
        positions.push_back(at);
        if (at + 1 < runs.end())
            runs.advance(at + 1, times[at + 1]);
        else
            runs.advance();
    }
    return positions;
}

std::vector<size_t> sorted(const Times& times) {
    std::vector<size_t> positions(times.size());
    for (size_t i = 0; i < positions.size(); ++i)
        positions[i] = i;
    std::ranges::stable_sort(positions, {}, [&](size_t i) { return times[i]; });
    return positions;
}

}  // namespace

TEST(TimeRuns, orders_any_times_like_a_stable_sort) {
    std::mt19937 random(7);
    for (const size_t size : {0, 1, 2, 10, 1000})
        for (const uint64_t range : {2, 10, 100000}) {
            Times times(size);
            for (uint64_t& time : times)
                time = random() % range;
            TimeRuns runs;
            EXPECT_EQ(order(times, runs), sorted(times)) << size << " of " << range;
            EXPECT_FALSE(runs.is_unordered());
        }
}

TEST(TimeRuns, the_greatest_time_is_one_as_any_other) {
    TimeRuns runs;
    const Times times{5, UINT64_MAX, 6, UINT64_MAX, 0};
    EXPECT_EQ(order(times, runs), sorted(times));
}

TEST(TimeRuns, beyond_the_limit_the_order_is_the_files) {
    TimeRuns runs(3);
    EXPECT_EQ(order({9, 8, 7, 6, 5, 10}, runs), (std::vector<size_t>{2, 3, 4, 1, 0, 5}));
    EXPECT_TRUE(runs.is_unordered());
}

TEST(TimeRuns, knows_what_is_not_needed_any_more) {
    TimeRuns runs;
    const Times times{1, 2, 10, 3, 4};  // two runs, 0 to 2 and 3 to 4
    for (size_t i = 0; i < times.size(); ++i)
        runs.add(i, i + 1, times[i]);
    runs.begin();
    EXPECT_EQ(runs.first_needed(), 0u);
    runs.advance(1, 2);
    runs.advance(2, 10);
    EXPECT_EQ(runs.position(), 3u);
    EXPECT_EQ(runs.first_needed(), 2u);
    runs.advance(4, 4);
    runs.advance();
    runs.advance();
    EXPECT_TRUE(runs.is_done());
}

}  // namespace op::collect
