// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/driver/driver_setup.h"

#include <gtest/gtest.h>

#include "libop/base/error.h"
#include "tests/unit/temp_dir.h"

namespace op::collect {

namespace {

using Writes = std::vector<DriverWrite>;

const DriverModel model{"intel", "i386/arch_perfmon", {{0, 6000, true}, {2, 6000, false}}};

/// A driver's files with two counters, as a tree of plain files.
struct FakeDriver {
    test::TempDir dir;
    Oprofilefs files{dir.path()};

    FakeDriver() {
        for (const char* file : {"stream_version", "buffer_size", "buffer_watershed", "cpu_buffer_size",
                                 "backtrace_depth", "pid_filter", "pgrp_filter"})
            dir.write(file, "1\n");
        dir.write("model", "intel");
        dir.write("cpu_type", "i386/arch_perfmon");
        for (const std::string counter : {"0/", "2/"})
            for (const char* file : {"enabled", "event", "count", "unit_mask", "kernel", "user"})
                dir.write(counter + file, "7\n");
        dir.write("0/extra", "0\n");
        dir.write("0/min_count", "6000\n");
    }
};

}  // namespace

TEST(DriverSetup, clears_every_counter_before_it_sets_one) {
    const std::vector<ConfiguredEvent> events = {{"r18001c2", 0xc2, 0, 100000, 1, 0x1800000, true, false}};
    DaemonSettings settings;
    settings.callgraph = 3;
    EXPECT_EQ(plan_driver(model, settings, events), (Writes{{"backtrace_depth", 3},
                                                            {"pid_filter", 0},
                                                            {"pgrp_filter", 0},
                                                            {"0/enabled", 0},
                                                            {"0/event", 0},
                                                            {"0/count", 0},
                                                            {"0/extra", 0},
                                                            {"2/enabled", 0},
                                                            {"2/event", 0},
                                                            {"2/count", 0},
                                                            {"0/enabled", 1},
                                                            {"0/event", 0xc2},
                                                            {"0/count", 100000},
                                                            {"0/kernel", 1},
                                                            {"0/user", 0},
                                                            {"0/unit_mask", 1},
                                                            {"0/extra", 0x1800000}}));
}

TEST(DriverSetup, a_sampler_is_programmed_once_in_the_modes_of_all_its_events) {
    const DriverModel perf{"perf", "perf", {{0, 10000, false, true}}};
    ConfiguredEvent first{"IBS_OP_ALL", 0xf100, 0, 64000, 1, 0, true, false};
    first.sampler = SamplerSetting{11, 1 << 19, 44};
    ConfiguredEvent second = first;
    second.name = "IBS_OP_LOAD";
    second.code = 0xf201;
    second.kernel = false;
    second.user = true;
    const Writes plan = plan_driver(perf, {}, std::vector{first, second});
    EXPECT_EQ(Writes(plan.begin() + 3, plan.end()), (Writes{{"0/enabled", 0},
                                                            {"0/event", 0},
                                                            {"0/count", 0},
                                                            {"0/pmu", 0},
                                                            {"0/raw_size", 0},
                                                            {"0/enabled", 1},
                                                            {"0/event", 1 << 19},
                                                            {"0/count", 64000},
                                                            {"0/kernel", 1},
                                                            {"0/user", 1},
                                                            {"0/unit_mask", 0},
                                                            {"0/pmu", 11},
                                                            {"0/raw_size", 44}}));
}

TEST(DriverSetup, sizes_are_written_only_if_they_were_set) {
    DaemonSettings settings;
    settings.buffer_size = 65536;
    settings.buffer_watershed = 1000;
    settings.cpu_buffer_size = 512;
    settings.pid_filter = 42;
    const Writes plan = plan_driver({}, settings, {});
    EXPECT_EQ(plan, (Writes{{"buffer_size", 65536},
                            {"buffer_watershed", 1000},
                            {"cpu_buffer_size", 512},
                            {"backtrace_depth", 0},
                            {"pid_filter", 42},
                            {"pgrp_filter", 0}}));
}

TEST(DriverSetup, the_model_is_read_from_the_files) {
    const FakeDriver driver;
    const DriverModel found = read_driver_model(driver.files);
    EXPECT_EQ(found.model, "intel");
    EXPECT_EQ(found.cpu_type, "i386/arch_perfmon");
    ASSERT_EQ(found.counters.size(), 2u);
    EXPECT_EQ(found.counters[0].minimum_count, 6000u);
    EXPECT_TRUE(found.counters[0].has_extra);
    EXPECT_EQ(found.counters[1].number, 2);
    EXPECT_EQ(found.counters[1].minimum_count, 0u);
    EXPECT_FALSE(found.counters[1].has_extra);
}

TEST(DriverSetup, the_plan_reaches_the_files) {
    const FakeDriver driver;
    std::vector<ConfiguredEvent> events = {{"CPU_CLK_UNHALTED", 0x3c, 2, 100000, 0, 0, true, false}};
    const DriverModel found = read_driver_model(driver.files);
    program_driver(driver.files, plan_driver(found, {}, events), events);
    EXPECT_EQ(driver.files.number("0/enabled"), 0u);
    EXPECT_EQ(driver.files.number("2/enabled"), 1u);
    EXPECT_EQ(driver.files.number("2/event"), 0x3cu);
    EXPECT_EQ(driver.files.number("2/count"), 100000u);
    EXPECT_EQ(driver.files.number("2/user"), 0u);
    EXPECT_EQ(events[0].count, 100000u);
}

TEST(DriverSetup, the_count_is_the_one_the_driver_made_of_it) {
    const FakeDriver driver;
    std::vector<ConfiguredEvent> events = {{"RTC_INTERRUPTS", 0, 0, 1000, 0, 0, true, true}};
    driver.files.set("0/count", 1024);
    program_driver(driver.files, {}, events);
    EXPECT_EQ(events[0].count, 1024u);
}

TEST(DriverSetup, a_file_that_is_not_there_is_named) {
    const FakeDriver driver;
    const Writes plan = {{"5/enabled", 0}};
    try {
        program_driver(driver.files, plan, {});
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("5/enabled"), std::string::npos);
    }
}

}  // namespace op::collect
