// SPDX-License-Identifier: GPL-2.0-or-later
#include "fleet/push.h"

#include <gtest/gtest.h>

#include <set>

namespace op::fleet {

TEST(StartDelay, is_the_same_each_time_and_spreads_hosts) {
    std::set<uint64_t> delays;
    for (int n = 0; n < 200; ++n) {
        const std::string host = "web" + std::to_string(n);
        const uint64_t delay = start_delay(host, 3600);
        EXPECT_LT(delay, 3600u);
        EXPECT_EQ(start_delay(host, 3600), delay);
        delays.insert(delay);
    }
    EXPECT_GT(delays.size(), 150u);
    EXPECT_EQ(start_delay("web1", 0), 0u);
}

TEST(WaitingTime, doubles_up_to_an_hour_less_a_part_by_chance) {
    EXPECT_EQ(waiting_time(0, 0, {}), 1u);
    EXPECT_EQ(waiting_time(4, 0, {}), 16u);
    EXPECT_EQ(waiting_time(63, 0, {}), 3600u);
    for (uint64_t random = 0; random < 20; ++random) {
        EXPECT_GE(waiting_time(4, random, {}), 8u);
        EXPECT_LE(waiting_time(4, random, {}), 16u);
    }
    EXPECT_EQ(waiting_time(0, 0, 30), 30u) << "what the server asked for";
}

}  // namespace op::fleet
