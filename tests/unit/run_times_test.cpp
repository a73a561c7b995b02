// SPDX-License-Identifier: GPL-2.0-or-later
// What operf prints of a run's time.
#include "daemon/run/run_times.h"

#include <gtest/gtest.h>

namespace op::collect {
namespace {

constexpr uint64_t ms = 1'000'000, second = 1000 * ms;

SessionInfo sampled(uint64_t samples, uint64_t count = ms) {
    SessionInfo info;
    info.events = {{"TIMER", 0, count}};
    info.ledger.add_sampled(samples);
    info.ledger.add_stored(samples);
    return info;
}

RunTimes swarm(uint64_t cpu, uint64_t tasks) {
    return {.wall = 5 * second, .cpu = CpuTime{cpu / 2, cpu - cpu / 2}, .tasks = tasks};
}

TEST(RunTimes, figures_are_cpu_time_wall_time_and_rate) {
    EXPECT_EQ(run_figures(sampled(4800), {.wall = 5 * second, .cpu = CpuTime{4 * second, 810 * ms}}),
              "CPU time 4.81 s, wall time 5.00 s, 960 samples a second");
}

TEST(RunTimes, without_a_command_its_cpu_time_is_left_out) {
    EXPECT_EQ(run_figures(sampled(10), {.wall = 2 * second}), "wall time 2.00 s, 5 samples a second");
    EXPECT_EQ(run_figures(sampled(0), {}), "wall time 0.00 s");
}

TEST(RunTimes, time_of_short_tasks_without_samples_is_noted_with_a_count) {
    EXPECT_EQ(
        unsampled_note(sampled(2960), swarm(4800 * ms, 1000)),
        "only 2.96 s of 4.80 s of CPU time was sampled: most of 1000 processes and threads ended before a "
        "sample of them was due; --events TIMER:200000 samples nearly all");
}

TEST(RunTimes, a_single_process_is_not_counted_in_the_note) {
    SessionInfo run = sampled(0);
    run.events.front().count = 100000000;
    const auto note = unsampled_note(run, swarm(500 * ms, 1));
    ASSERT_TRUE(note);
    EXPECT_NE(note->find("was sampled: the process ended before a sample"), std::string::npos) << *note;
}

TEST(RunTimes, time_that_is_sampled_is_not_noted) {
    EXPECT_EQ(unsampled_note(sampled(4500), swarm(4800 * ms, 1000)), std::nullopt);
    EXPECT_EQ(unsampled_note(sampled(1), swarm(30 * ms, 1000)), std::nullopt);
}

TEST(RunTimes, a_gap_of_long_tasks_has_another_cause_and_is_not_noted) {
    EXPECT_EQ(unsampled_note(sampled(2960), swarm(4800 * ms, 2)), std::nullopt);
}

TEST(RunTimes, a_mode_that_is_not_sampled_is_no_gap) {
    const SessionInfo run = sampled(2400);
    RunTimes times = swarm(4800 * ms, 1000);
    EXPECT_TRUE(unsampled_note(run, times));
    times.kernel_mode = false;
    EXPECT_EQ(unsampled_note(run, times), std::nullopt);
    times.kernel_mode = true;
    SessionInfo user_only = run;
    user_only.events.front().kernel = false;
    EXPECT_EQ(unsampled_note(user_only, times), std::nullopt);
}

TEST(RunTimes, other_or_several_events_are_not_compared_with_time) {
    SessionInfo run = sampled(10);
    run.events.front().name = "CPU_CLK_UNHALTED";
    EXPECT_EQ(unsampled_note(run, swarm(4800 * ms, 1000)), std::nullopt);
    run = sampled(10);
    run.events.push_back({"TIMER", 0, 2 * ms});
    EXPECT_EQ(unsampled_note(run, swarm(4800 * ms, 1000)), std::nullopt);
}

TEST(RunTimes, a_program_that_waits_for_most_of_its_time_is_noted_with_what_samples_that) {
    RunTimes times{.wall = 5 * second, .cpu = CpuTime{300 * ms, 50 * ms}, .idle = 5 * second};
    EXPECT_EQ(
        waiting_note(sampled(350), times),
        "the program waited 93 % of the time; to see where: operf --events context-switches:1 --callgraph "
        "PROGRAM, then opreport --call-tree (by number of waits)");
    times.kernel_mode = false;
    EXPECT_NE(waiting_note(sampled(350), times)->find("; to see where, as root: operf "), std::string::npos);
    times.cpu->user = 2500 * ms;
    EXPECT_EQ(waiting_note(sampled(2550), times), std::nullopt) << "it ran for half of it";
}

TEST(RunTimes, a_wait_is_not_noted_where_it_is_short_unknown_or_sampled) {
    const RunTimes times{.wall = 5 * second, .cpu = CpuTime{300 * ms, 50 * ms}, .idle = 5 * second};
    EXPECT_TRUE(waiting_note(sampled(350), times));
    RunTimes other = times;
    other.wall = 499 * ms;
    other.cpu = CpuTime{9 * ms, 0};
    EXPECT_EQ(waiting_note(sampled(9), other), std::nullopt);
    other = times;
    other.cpu.reset();
    EXPECT_EQ(waiting_note(sampled(350), other), std::nullopt) << "no command was profiled";
    other = times;
    other.idle.reset();
    EXPECT_EQ(waiting_note(sampled(350), other), std::nullopt) << "it may have waited for a CPU";
    EXPECT_EQ(waiting_note(sampled(4000), times), std::nullopt) << "of children that nobody has waited for";
    other = times;
    other.idle = 2400 * ms;
    EXPECT_TRUE(waiting_note(sampled(350), other));
    other.idle = 2300 * ms;
    EXPECT_EQ(waiting_note(sampled(350), other), std::nullopt) << "the CPUs were busy";
    SessionInfo switches = sampled(350);
    switches.events.push_back({"context-switches", 3, 1});
    EXPECT_EQ(waiting_note(switches, times), std::nullopt);
}

TEST(RunTimes, the_count_is_never_below_the_minimum) {
    const auto note = unsampled_note(sampled(1), swarm(100 * ms, 100000));
    ASSERT_TRUE(note);
    EXPECT_NE(note->find("TIMER:10000 "), std::string::npos) << *note;
    RunTimes chains = swarm(100 * ms, 100000);
    chains.callgraph = true;
    const auto higher = unsampled_note(sampled(1), chains);
    ASSERT_TRUE(higher);
    EXPECT_NE(higher->find("TIMER:150000 "), std::string::npos) << *higher;
}

TEST(RunTimes, time_that_no_event_covered_is_noted_with_the_programs) {
    const std::vector<std::string> names{"sudo (process 7)", "ping (process 9)"};
    EXPECT_EQ(
        uncovered_note({2370 * ms, 20 * ms, 3}, names, "operf"),
        "2.35 s of 2.37 s of CPU time is missing: the kernel left out sudo (process 7), ping (process 9), "
        "as all programs that have rights of their own (set-user-ID, capabilities) or cannot be read; as "
        "root, operf --system-wide includes them");
    EXPECT_EQ(
        uncovered_note({2370 * ms, 1370 * ms, 3}, {}, "ocount"),
        "1.00 s of 2.37 s of CPU time is missing: perhaps that of programs that have rights of their own "
        "(set-user-ID, capabilities) or cannot be read, which the kernel leaves out; as root, ocount "
        "--system-wide includes them");
}

TEST(RunTimes, what_the_ends_of_tasks_explain_is_not_noted) {
    const std::vector<std::string> names{"sudo (process 7)"};
    for (const auto& some : {std::vector<std::string>{}, names}) {
        EXPECT_FALSE(uncovered_note({2 * second, second, 1001}, some, "operf"));
        EXPECT_TRUE(uncovered_note({2 * second, second, 1000}, some, "operf"));
        EXPECT_FALSE(uncovered_note({2 * second, second, UINT64_MAX}, some, "operf"));
        EXPECT_FALSE(uncovered_note({1790 * ms, 1650 * ms, 1, 512'000}, some, "operf"));
        EXPECT_TRUE(uncovered_note({2 * second, second, 500, 500'000}, some, "operf"));
        EXPECT_FALSE(uncovered_note({2 * second, second, 500, 500'001}, some, "operf"));
    }
}

TEST(RunTimes, what_children_have_used_before_is_not_counted) {
    const ChildrenUsage before{{5, 7}, 11, 13}, now{{105, 207}, 311, 413};
    const ChildrenUsage since = now.since(before);
    EXPECT_EQ(since.cpu.user, 100u);
    EXPECT_EQ(since.cpu.kernel, 200u);
    EXPECT_EQ(since.page_faults, 300u);
    EXPECT_EQ(since.switches, 400u);
}

TEST(RunTimes, what_switches_explain_is_not_taken_for_that_of_other_programs) {
    constexpr uint64_t longest = 20'000;
    Coverage time{.used = 1260 * ms, .covered = 1100 * ms, .switches = 160 * ms / longest};
    EXPECT_EQ(uncovered_note(time, {}, "operf"),
              "0.16 s of 1.26 s of CPU time is missing: the kernel's work for 8000 switches of tasks, within "
              "which it stops and starts events");
    time.switches -= ms / longest;  // what the end of a task explains
    EXPECT_NE(uncovered_note(time, {}, "operf")->find("set-user-ID"), std::string::npos);
    time.switches = 1'000'000;
    EXPECT_NE(uncovered_note(time, std::vector<std::string>{"sudo (process 7)"}, "operf")->find("sudo"),
              std::string::npos);
}

TEST(RunTimes, a_small_gap_is_not_noted) {
    const std::vector<std::string> names{"sudo (process 7)"};
    EXPECT_FALSE(uncovered_note({100 * ms, 51 * ms, 1}, names, "operf"));
    EXPECT_FALSE(uncovered_note({10 * second, 10 * second - 99 * ms, 1}, names, "operf"));
    EXPECT_FALSE(uncovered_note({second, 2 * second, 1}, names, "operf"));
}

TEST(RunTimes, the_longest_time_of_an_event_is_covered) {
    SessionInfo run = sampled(1);
    EXPECT_EQ(covered_time(run), 0U);
    run.events.push_back({"TIMER", 0, 2 * ms});
    run.events.front().time = {5 * ms, 2 * ms};
    run.events.back().time = {4 * ms, 4 * ms};
    EXPECT_EQ(covered_time(run), 5 * ms);
}

TEST(RunTimes, without_a_command_nothing_is_noted) {
    EXPECT_EQ(unsampled_note(sampled(0), {.wall = 5 * second}), std::nullopt);
}

}  // namespace
}  // namespace op::collect
