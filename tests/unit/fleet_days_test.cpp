// SPDX-License-Identifier: GPL-2.0-or-later
#include "fleet/fleet_days.h"

#include <gtest/gtest.h>

namespace op::fleet {
namespace {

std::vector<FleetDay> days() {
    std::vector<FleetDay> all;
    for (uint16_t number = 100; number < 105; ++number)
        all.push_back({Day(number), 10, 1, 1, 1, 0, std::nullopt});
    return all;
}

size_t dropped(std::optional<Day> first_kept, std::optional<uint64_t> most_bytes) {
    return days_to_drop(days(), first_kept, most_bytes, 60).size();
}

}  // namespace

TEST(FleetDays, old_ones_go_first) {
    EXPECT_EQ(dropped(Day(102), std::nullopt), 2u);
    EXPECT_EQ(dropped(Day(100), std::nullopt), 0u);
    EXPECT_EQ(days_to_drop(days(), Day(102), std::nullopt, 60)[0].day, Day(100));
}

TEST(FleetDays, go_until_they_fit) {
    EXPECT_EQ(dropped(std::nullopt, 60), 0u);
    EXPECT_EQ(dropped(std::nullopt, 59), 1u);
    EXPECT_EQ(dropped(std::nullopt, 31), 3u);
    EXPECT_EQ(dropped(Day(103), 50), 3u);
    EXPECT_EQ(dropped(Day(101), 30), 3u);
}

TEST(FleetDays, the_newest_stays) {
    EXPECT_EQ(dropped(Day(200), 0), 4u);
    EXPECT_TRUE(days_to_drop({}, Day(200), 0, 60).empty());
}

TEST(FleetDays, are_partitions) {
    EXPECT_EQ(day_of_partition("20251125"), parse_day("2025-11-25"));
    for (const char* name : {"", "202511", "20251131", "tuple()", "2025112x", "'; DROP"})
        EXPECT_FALSE(day_of_partition(name)) << name;
}

}  // namespace op::fleet
