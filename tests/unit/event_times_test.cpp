// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/source/event_times.h"

#include <gtest/gtest.h>

namespace op::collect {
namespace {

/// "EVENT:ENABLED/RUNNING" a record.
std::vector<std::string> texts(const std::vector<EventTime>& times) {
    std::vector<std::string> result;
    for (const EventTime& t : times)
        result.push_back(std::to_string(t.event) + ":" + std::to_string(t.time.enabled) + "/" +
                         std::to_string(t.time.running));
    return result;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST(EventTimes, add_up_over_cpus) {
    const ClockReading readings[] = {
        {0, 0, {100, 50}}, {1, 0, {100, 40}}, {0, 1, {100, 60}}, {1, 1, {100, 30}}};
    EXPECT_EQ(texts(EventTimes().advance(readings)), (Texts{"0:200/110", "1:200/70"}));
}

TEST(EventTimes, a_task_was_counted_on_each_cpu_for_as_long_as_it_was_there) {
    const ClockReading alone[] = {{0, 7, {100, 30}}, {0, 7, {100, 70}}};
    EXPECT_EQ(texts(EventTimes().advance(alone)), Texts{"0:100/100"});
    const ClockReading multiplexed[] = {{0, 7, {100, 15}}, {0, 7, {100, 35}}};
    EXPECT_EQ(texts(EventTimes().advance(multiplexed)), Texts{"0:100/50"});
}

TEST(EventTimes, tasks_add_up) {
    const ClockReading readings[] = {
        {0, 7, {100, 10}}, {0, 8, {300, 150}}, {0, 7, {100, 40}}, {0, 8, {300, 0}}};
    EXPECT_EQ(texts(EventTimes().advance(readings)), Texts{"0:400/200"});
}

TEST(EventTimes, a_late_descriptor_makes_no_event_run_longer_than_it_was_enabled) {
    const ClockReading readings[] = {{0, 7, {90, 30}}, {0, 7, {95, 70}}};
    EXPECT_EQ(texts(EventTimes().advance(readings)), Texts{"0:100/100"});
}

TEST(EventTimes, the_skew_between_descriptors_is_not_waiting) {
    const ClockReading readings[] = {
        {0, 7, {100, 30}}, {0, 7, {98, 66}}, {0, 8, {100, 30}}, {0, 8, {100, 65}}};
    EXPECT_EQ(texts(EventTimes().advance(readings, 4)), Texts{"0:200/195"});
    const ClockReading late[] = {{0, 7, {90, 30}}, {0, 7, {95, 70}}};
    EXPECT_EQ(texts(EventTimes().advance(late, 4)), Texts{"0:100/100"});
}

TEST(EventTimes, only_times_that_advanced_are_reported) {
    EventTimes times;
    const ClockReading first[] = {{0, 0, {100, 50}}, {1, 0, {0, 0}}};
    const ClockReading second[] = {{0, 0, {300, 100}}, {1, 0, {10, 0}}};
    EXPECT_EQ(texts(times.advance(first)), Texts{"0:100/50"});
    EXPECT_EQ(texts(times.advance(second)), (Texts{"0:200/50", "1:10/0"}));
    EXPECT_EQ(texts(times.advance(second)), Texts{});
    EXPECT_EQ(texts(times.advance(first)), Texts{}) << "never less than reported before";
    EXPECT_EQ(texts(times.advance(second)), Texts{}) << "nor twice";
}

}  // namespace op::collect
