// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/driver/driver_session.h"

#include <gtest/gtest.h>

#include "tests/unit/fake_oprofilefs.h"
#include "tests/unit/faults.h"

namespace op::collect {
namespace {

using test::contains;
using test::fault;

class Describing : public ::testing::Test {
protected:
    Describing() {
        fake_.dir().write("model", "timer");
        fake_.dir().write("backtrace_depth", "0\n");
        fake_.dir().write("pid_filter", "0\n");
        fake_.dir().write("pgrp_filter", "0\n");
    }
    void describe(const std::vector<std::string>& events, uint64_t callgraph = 0) {
        describe_driver_session(fake_.files(), parse_daemon_event_specs(events), callgraph, info_, options_);
    }

    test::FakeOprofilefs fake_;
    SessionInfo info_;
    DriverOptions options_;
};

}  // namespace

TEST_F(Describing, events_that_name_counters_were_set_up_before) {
    describe({"CPU_CLK_UNHALTED:0x3c:1:100000:0:1:0,INST_RETIRED:192:0:200000:1:0:1"});
    ASSERT_EQ(info_.events.size(), 2u);
    EXPECT_EQ(info_.events[0], (RecordedEvent{"CPU_CLK_UNHALTED", 0x3c, 100000, 0, true, false}));
    EXPECT_EQ(info_.events[1], (RecordedEvent{"INST_RETIRED", 192, 200000, 1, false, true}));
    EXPECT_EQ(options_.counters, (std::vector<int>{1, 0}));
    EXPECT_EQ(info_.cpu_type_name, "timer");
    EXPECT_EQ(fake_.files().number("0/enabled"), 0u);
}

TEST_F(Describing, events_on_one_counter_are_derived_from_its_raw_samples) {
    fake_.dir().write("1/raw_size", "12\n");
    describe(
        {"IBS_FETCH_ALL:0xf000:1:50000:0:1:1,TIMER:0:0:1000000:0:1:1,IBS_FETCH_KILLED:0xf001:1:50000:0:0:1"});
    EXPECT_EQ(options_.counters, (std::vector<int>{1, 0, 1}));
    ASSERT_EQ(options_.samplings.size(), 1u);
    EXPECT_EQ(options_.samplings[0].sampler, Sampler::ibs_fetch);
    EXPECT_EQ(options_.samplings[0].opened, 0u);
    ASSERT_EQ(options_.samplings[0].events.size(), 2u);
    EXPECT_EQ(options_.samplings[0].events[1].event, 2u);
    EXPECT_FALSE(options_.samplings[0].events[1].kernel);
}

TEST_F(Describing, without_raw_samples_nothing_is_derived) {
    describe({"IBS_FETCH_ALL:0xf000:1:50000:0:1:1"});
    EXPECT_TRUE(options_.samplings.empty());
}

TEST_F(Describing, events_without_counters_are_set_up) {
    describe({"TIMER:1000000"});
    EXPECT_EQ(fake_.files().number("0/enabled"), 1u);
    EXPECT_EQ(fake_.files().number("0/count"), 1000000u);
    ASSERT_EQ(info_.events.size(), 1u);
    EXPECT_EQ(info_.events[0].name, "TIMER");
}

TEST_F(Describing, no_events_are_the_counters_that_are_enabled) {
    fake_.dir().write("1/enabled", "1\n");
    fake_.dir().write("1/count", "500000\n");
    fake_.dir().write("1/user", "1\n");
    describe({});
    ASSERT_EQ(info_.events.size(), 1u);
    EXPECT_EQ(info_.events[0], (RecordedEvent{"TIMER", 0, 500000, 0, false, true}));
    EXPECT_EQ(options_.counters, std::vector<int>{1});
}

TEST_F(Describing, no_events_and_no_counters_are_the_default_event) {
    describe({});
    ASSERT_EQ(info_.events.size(), 1u);
    EXPECT_EQ(info_.events[0].name, "TIMER");
    EXPECT_EQ(fake_.files().number("0/enabled"), 1u);
}

TEST_F(Describing, counters_that_are_not_there_or_half_named_are_refused) {
    EXPECT_TRUE(
        contains(fault(ErrorKind::usage, [&] { describe({"TIMER:0:7:100000:0:1:1"}); }), "no counter 7"));
    EXPECT_NE(fault(ErrorKind::usage, [&] { describe({"TIMER:0:0:100000:0:1:1", "TIMER:100000"}); }), "");
}

}  // namespace op::collect
