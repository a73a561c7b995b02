// SPDX-License-Identifier: GPL-2.0-or-later
#include "libpp/report/recording_account.h"

#include <gtest/gtest.h>

namespace op::pp {

namespace {

SessionInfo recorded(const char* event) {
    SessionInfo info;
    info.events = {{event, 0, 1'000'000}};
    info.ledger.add_sampled(1000);
    info.ledger.add_stored(1000);
    return info;
}

std::string line_of(const SessionInfo& info) {
    return account_line(recording_account(info));
}

}  // namespace

TEST(RecordingAccount, has_what_is_known) {
    SessionInfo info = recorded("TIMER");
    EXPECT_EQ(line_of(SessionInfo()), "");
    EXPECT_EQ(line_of(info), "recorded: 1000 samples, none lost");
    info.stacks.complete = 1000;
    EXPECT_EQ(line_of(info), "recorded: 1000 samples, none lost; all call stacks are complete");
    info.stacks.incomplete["no_info"] = 1000;
    info.recorder_cpu = {25'000'000, 2'000'000'000};
    EXPECT_EQ(line_of(info),
              "recorded: 1000 samples, none lost; 50.0 % of the call stacks are complete; the recorder used "
              "0.025 s of CPU time, 2.5 % of the 1 s that was sampled");
}

TEST(RecordingAccount, of_a_machine_that_is_idle_is_relative_to_the_time_that_passed) {
    SessionInfo info = recorded("TIMER");
    info.recorder_cpu = {25'000'000, 10'000'000'000};
    EXPECT_TRUE(line_of(info).ends_with(", 2.5 % of the 1 s that was sampled"));
    info.recorder_cpu.elapsed = 12'000'000'000;
    EXPECT_TRUE(line_of(info).ends_with("0.025 s of CPU time in 12 s, 0.2 % of one CPU"));
}

TEST(RecordingAccount, names_the_causes_of_losses) {
    SessionInfo info = recorded("CYCLES");
    info.ledger.add_sampled(3);
    info.ledger.add_lost(LossCause::kernel_buffer, 0, 2);
    EXPECT_EQ(line_of(info), "recorded: 1000 samples, 2 lost (the kernel's buffer was full)");
    info.ledger.add_lost(LossCause::no_mapping, 1, 1);
    EXPECT_EQ(
        line_of(info),
        "recorded: 1000 samples, 3 lost (2: the kernel's buffer was full, 1: user addresses in no known "
        "mapping)");
}

TEST(RecordingAccount, of_an_event_that_is_no_clock_is_relative_to_the_time_that_passed) {
    SessionInfo info = recorded("CYCLES");
    info.recorder_cpu = {250'000'000, 200'000'000'000};
    EXPECT_EQ(
        line_of(info),
        "recorded: 1000 samples, none lost; the recorder used 0.25 s of CPU time in 200 s, 0.1 % of one "
        "CPU");
    info.recorder_cpu.used = 1'560'000'000'000;
    EXPECT_TRUE(line_of(info).ends_with(", 780.0 % of one CPU")) << "a short program, and a slow recorder";
    info.recorder_cpu = {33'500'000, 90'000'000};
    EXPECT_TRUE(line_of(info).ends_with("; the recorder used 0.0335 s of CPU time")) << "it has only begun";
    info = recorded("TIMER");
    info.events.push_back(info.events.front());
    EXPECT_FALSE(recording_account(info).sampled_time);
    info = recorded("cpu-clock");
    EXPECT_EQ(recording_account(info).sampled_time, 1'000'000'000u);
    info.events[0].count = UINT64_MAX;
    EXPECT_FALSE(recording_account(info).sampled_time) << "it does not fit";
}

}  // namespace op::pp
