// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/perf/perf_rate.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>
#include <thread>

namespace op::collect {

TEST(EventRate, a_thousandth_of_what_occurs_in_a_second_is_the_count) {
    EXPECT_EQ(count_for({100'000'000, 100'000'000}, 1), 1'000'000u);
    EXPECT_EQ(count_for({500'000, 100'000'000}, 1), 5000u);
}

TEST(EventRate, counts_are_round) {
    EXPECT_EQ(count_for({123'456'789, 100'000'000}, 1), 1'200'000u);
    EXPECT_EQ(count_for({98'765, 1'000'000'000}, 1), 99u);
    EXPECT_EQ(count_for({12'750, 1'000'000}, 1), 13'000u);
}

TEST(EventRate, counts_stay_within_their_bounds) {
    EXPECT_EQ(count_for({1000, 1'000'000'000}, 500), 500u);
    EXPECT_EQ(count_for({1, 1'000'000'000}, 0), 1u);
    EXPECT_EQ(count_for({UINT64_MAX, 1}, 1), 2'100'000'000u);
}

TEST(EventRate, an_event_that_did_not_occur_has_no_rate) {
    EXPECT_EQ(count_for({0, 100}, 1), std::nullopt);
    EXPECT_EQ(count_for({100, 0}, 1), std::nullopt);
}

// The kernel's clock counts nanoseconds, so its count is known: the time between two samples, within the
// difference between the kernel's two clocks.
TEST(EventRate, the_clock_is_measured_at_its_own_speed) {
    const RecordedEvent event{"TIMER", 0, 1000000, 0, true, true};
    const auto rate = measure_event(event, builtin_encoding("TIMER"), 0);
    if (!rate) GTEST_SKIP() << "counting is not permitted here";
    const auto count = count_for(*rate, 1);
    ASSERT_TRUE(count);
    EXPECT_GT(*count, 900'000u);
    EXPECT_LT(*count, 1'100'000u);
}

TEST(EventRate, an_event_unknown_to_the_kernel_is_not_measured) {
    const RecordedEvent event{"X", 0, 1, 0, true, true};
    EXPECT_FALSE(measure_event(event, EventEncoding{0x7fffffff, 0, 0, 0, 0}, 0));
}

// The first thread sleeps all the time.
TEST(EventRate, all_threads_of_a_process_are_measured) {
    const pid_t process = ::fork();
    if (process == 0) {
        std::thread([] {
            for (;;)
                ::getppid();
        }).detach();
        for (;;)
            ::pause();
    }
    const RecordedEvent event{"TIMER", 0, 1000000, 0, true, true};
    std::optional<EventRate> rate;
    int tries = 0;
    do {  // the thread may not have been made yet, or wait for a CPU
        rate = measure_event(event, builtin_encoding("TIMER"), process);
    } while (rate && rate->events == 0 && ++tries < 100);
    ::kill(process, SIGKILL);
    ::waitpid(process, nullptr, 0);
    if (!rate) GTEST_SKIP() << "counting is not permitted here";
    EXPECT_GT(rate->events, 0u);
    EXPECT_GT(rate->time, 0u);
}

TEST(EventRate, a_process_that_is_gone_is_not_measured) {
    const RecordedEvent event{"TIMER", 0, 1000000, 0, true, true};
    EXPECT_FALSE(measure_event(event, builtin_encoding("TIMER"), INT32_MAX));
}

}  // namespace op::collect
