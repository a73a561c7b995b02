// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/driver/driver_models.h"

#include <gtest/gtest.h>

namespace op::collect {

TEST(DriverKinds, with_a_clock_only_have_one_event_and_program_no_counter) {
    EXPECT_EQ(driver_kind("timer").clock.name, "TIMER");
    EXPECT_EQ(driver_kind("rtc").clock.name, "RTC_INTERRUPTS");
    for (const char* name : {"timer", "rtc"}) {
        EXPECT_TRUE(driver_kind(name).has_clock_only()) << name;
        EXPECT_FALSE(driver_kind(name).programs_counters) << name;
    }
    for (const char* name : {"intel", "p4", "amd", "perf"})
        EXPECT_FALSE(driver_kind(name).has_clock_only()) << name;
}

TEST(DriverKinds, only_of_the_real_time_clock_counts_are_rates) {
    for (const char* name : {"timer", "intel", "p4", "amd", "perf"})
        EXPECT_FALSE(driver_kind(name).counts_rate) << name;
    EXPECT_TRUE(driver_kind("rtc").counts_rate);
    EXPECT_EQ(driver_kind("rtc").greatest_count, 4096u);
}

TEST(DriverKinds, that_are_not_known_have_counters_that_the_kernel_programs) {
    EXPECT_EQ(driver_kind("sparc").name, "perf");
    EXPECT_FALSE(driver_kind("sparc").programs_counters);
    EXPECT_TRUE(driver_kind("intel").programs_counters);
    EXPECT_TRUE(driver_kind("amd").programs_counters);
    EXPECT_TRUE(driver_kind("p4").programs_counters);
}

TEST(DriverKinds, are_listed_in_the_order_in_which_the_driver_tries_them) {
    EXPECT_EQ(driver_model_names(), "intel, p4, amd, perf, rtc, timer");
}

TEST(DriverKinds, clocks_are_found_by_their_event) {
    ASSERT_TRUE(find_driver_clock("RTC_INTERRUPTS"));
    EXPECT_EQ(find_driver_clock("RTC_INTERRUPTS")->default_count, 1024u);
    EXPECT_FALSE(find_driver_clock("CPU_CLK_UNHALTED"));
    EXPECT_FALSE(find_driver_clock(""));
}

TEST(CounterRegisters, of_the_longest_known_prefix_count) {
    EXPECT_EQ(counter_registers("i386/athlon").clock_code, 0x76u);
    EXPECT_FALSE(counter_registers("i386/athlon").has_fixed_counters);
    EXPECT_EQ(counter_registers("i386/piii").clock_code, 0x79u);
    EXPECT_EQ(counter_registers("i386/nehalem").clock_code, 0x3cu);
    EXPECT_TRUE(counter_registers("i386/nehalem").has_fixed_counters);
    EXPECT_TRUE(counter_registers("x86-64/family10").is_x86);
    EXPECT_FALSE(counter_registers("arm/armv8-cortex-a57").is_x86);
    EXPECT_EQ(counter_registers("ppc64/power9").clock_code, 0u);
    EXPECT_TRUE(counter_registers("i386/p4-ht").numbers_events);
    EXPECT_FALSE(counter_registers("i386/piii").numbers_events);
}

}  // namespace op::collect
