// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/perf/perf_times.h"

#include <gtest/gtest.h>

namespace op::collect {
namespace {

constexpr uint64_t second = 1'000'000'000;

}  // namespace

TEST(PerfTimes, are_due_a_second_after_the_start_and_after_each_report) {
    PerfTimes times({0});
    times.begin(100);
    EXPECT_FALSE(times.due(99 + second));
    EXPECT_TRUE(times.due(100 + second));
    times.reported(100 + second, 200 + second);
    EXPECT_FALSE(times.due(199 + 2 * second));
    EXPECT_TRUE(times.due(200 + 2 * second));
}

TEST(PerfTimes, reading_them_takes_no_more_than_a_hundredth_of_the_time) {
    PerfTimes times({0});
    times.reported(0, second);
    EXPECT_FALSE(times.due(100 * second));
    EXPECT_TRUE(times.due(101 * second));
}

TEST(PerfTimes, events_from_the_same_samples_have_the_same_time) {
    PerfTimes times({0, 1, 1});
    const ClockReading clocks[] = {{0, 0, {100, 40}}, {1, 0, {100, 60}}};
    const auto all = times.advance(clocks);
    ASSERT_EQ(all.size(), 3u);
    EXPECT_EQ(all[0].time, (CountedTime{100, 40}));
    EXPECT_EQ(all[1].event, 1);
    EXPECT_EQ(all[2].event, 2);
    EXPECT_EQ(all[1].time, (CountedTime{100, 60}));
    EXPECT_EQ(all[2].time, all[1].time);
    EXPECT_TRUE(times.advance(clocks).empty()) << "only what was added since";
}

TEST(PerfTimes, time_spent_switching_events_on_is_no_time_without_a_counter) {
    PerfTimes times({0});
    times.add_switching(3);
    times.add_switching(2);
    const ClockReading clocks[] = {{0, 7, {100, 95}}};
    EXPECT_EQ(times.advance(clocks).at(0).time, (CountedTime{100, 100}));
    PerfTimes quick({0});
    EXPECT_EQ(quick.advance(clocks).at(0).time, (CountedTime{100, 95}));
}

}  // namespace op::collect
