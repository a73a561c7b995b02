// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/run/idle_clock.h"

#include <gtest/gtest.h>

namespace op::collect {
namespace {

constexpr uint64_t ms = 1'000'000;
using Cpus = std::vector<uint32_t>;

TEST(IdleClock, idle_and_iowait_of_the_cpus_that_count_are_added_up) {
    constexpr const char* text =
        "cpu  9 9 9 999 99 9\ncpu0 1 2 3 400 50 6\ncpu1 1 2 3 10 2 6\ncpu12 1 2 3 7 1 6\nintr 5\n";
    EXPECT_EQ(idle_time(text, Cpus{0}, 100), 4500 * ms);
    EXPECT_EQ(idle_time(text, Cpus{0, 12, 500}, 100), 4580 * ms) << "CPU 500 is not online";
    EXPECT_EQ(idle_time(text, Cpus{1}, 1000), 12 * ms);
    EXPECT_EQ(idle_time(text, Cpus{2}, 100), std::nullopt);
    for (const char* other : {"", "cpu", "cpu0 1 2 3 4", "cpu0 1 2 3 x 5", "intr 5\ncpu0 1 2 3 4 5"})
        EXPECT_EQ(idle_time(other, Cpus{0}, 100), std::nullopt) << other;
    EXPECT_EQ(idle_time(text, Cpus{0}, 0), std::nullopt);
}

TEST(IdleClock, the_cpus_that_a_process_may_run_on_are_in_its_status) {
    EXPECT_EQ(allowed_cpus("Name:\tx\nCpus_allowed:\t13\nCpus_allowed_list:\t0-1,4\nMems_allowed:\t1\n"),
              (Cpus{0, 1, 4}));
    EXPECT_EQ(allowed_cpus("Name:\tx\n"), std::nullopt);
    EXPECT_EQ(allowed_cpus("Cpus_allowed_list:\tx\n"), std::nullopt);
}

}  // namespace
}  // namespace op::collect
