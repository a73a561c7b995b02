// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/source/attach.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "libop/base/error.h"

namespace op::collect {

TEST(Attach, a_thread_id_selects_its_process) {
    pid_t found = 0;
    std::thread([&] { found = process_of(::gettid()); }).join();
    EXPECT_EQ(found, ::getpid());
    EXPECT_EQ(process_of(::getpid()), ::getpid());
}

TEST(Attach, a_name_does_not_pass_for_fields_behind_it) {
    const char* const stat = "7 (a) R 1 (2 3\n) S 4 5 6";
    EXPECT_EQ(parse_stat_field(stat, 4), 4u);
    EXPECT_EQ(parse_stat_field(stat, 6), 6u);
    EXPECT_EQ(parse_stat_field(stat, 3), std::nullopt);
    EXPECT_EQ(parse_stat_field(stat, 7), std::nullopt);
    EXPECT_EQ(parse_tgid("Name:\tTgid: 5\nTgid:\t7\nPid:\t8\n"), 7);
    EXPECT_EQ(parse_tgid("Tgid:\t0\n"), std::nullopt);
    EXPECT_EQ(parse_tgid("Tgid:\t4294967299\n"), std::nullopt);
}

TEST(Attach, a_process_that_is_gone_is_reported) {
    EXPECT_THROW(process_of(0x7ffffff0), Error);
    EXPECT_THROW(watch_process(0x7ffffff0), Error);
}

TEST(Attach, an_exiting_task_is_distinguished_from_others) {
    EXPECT_FALSE(is_ending(::getpid()));
    EXPECT_FALSE(is_ending(::gettid()));
    EXPECT_TRUE(is_ending(0x7ffffff0));
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    siginfo_t ignored;
    ::waitid(P_PID, child, &ignored, WEXITED | WNOWAIT);
    EXPECT_TRUE(is_ending(child)) << "nobody has waited for it yet";
    ::waitpid(child, nullptr, 0);
}

TEST(Attach, tasks_since_boot_grow_with_each_process) {
    const auto before = tasks_since_boot();
    ASSERT_TRUE(before);
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    ::waitpid(child, nullptr, 0);
    EXPECT_GT(tasks_since_boot(), before);
}

TEST(Attach, tasks_of_one_number_are_distinguished_by_start_time) {
    EXPECT_EQ(start_of(0x7ffffff0), std::nullopt);
    const auto own = start_of(::getpid());
    ASSERT_TRUE(own);
    ASSERT_TRUE(start_of(1));
    EXPECT_LT(*start_of(1), *own);
    EXPECT_EQ(start_of(::getpid()), own);
}

namespace {

std::vector<pid_t> this_process() {
    return {::getpid()};
}

}  // namespace

TEST(Attach, opening_is_repeated_for_threads_that_begin_meanwhile) {
    std::atomic<bool> is_over = false;
    std::vector<std::jthread> started;
    std::vector<std::vector<pid_t>> calls;
    const bool has_all = open_for_threads(this_process, [&](const std::vector<pid_t>& threads) {
        if (calls.size() < 2) started.emplace_back([&] { is_over.wait(false); });
        calls.push_back(threads);
    });
    is_over = true;
    is_over.notify_all();
    EXPECT_TRUE(has_all);
    ASSERT_EQ(calls.size(), 3u);
    EXPECT_EQ(calls[1].size(), calls[0].size() + 1);
    EXPECT_EQ(calls[2].size(), calls[1].size() + 1);
}

TEST(Attach, endless_new_threads_are_reported) {
    std::atomic<bool> is_over = false;
    std::vector<std::jthread> started;
    EXPECT_FALSE(open_for_threads(this_process, [&](const std::vector<pid_t>&) {
        started.emplace_back([&] { is_over.wait(false); });
    }));
    is_over = true;
    is_over.notify_all();
    EXPECT_LT(started.size(), 100u);
}

TEST(Attach, descendants_are_found_through_all_threads_and_generations) {
    if (::access("/proc/thread-self/children", R_OK) != 0)
        GTEST_SKIP() << "this kernel does not list children";
    int hold[2], report[2];
    ASSERT_EQ(::pipe(hold), 0);
    ASSERT_EQ(::pipe(report), 0);
    pid_t child = -1;
    char byte = 0;
    std::thread([&] {
        child = ::fork();
        if (child != 0) return;
        ::close(hold[1]);
        const pid_t grandchild = ::fork();
        if (grandchild > 0 && ::write(report[1], &grandchild, sizeof grandchild) < 0) ::_exit(1);
        ::_exit(static_cast<int>(::read(hold[0], &byte, 1)));  // until the test is done
    }).join();
    pid_t grandchild = -1;
    ASSERT_EQ(::read(report[0], &grandchild, sizeof grandchild), static_cast<ssize_t>(sizeof grandchild));
    const auto found = descendants_of(::getpid()), others = other_descendants_of(this_process());
    ::close(hold[1]);
    ::waitpid(child, nullptr, 0);
    EXPECT_TRUE(std::ranges::count(found, child) == 1 && std::ranges::count(found, grandchild) == 1);
    EXPECT_TRUE(descendants_of(0x7ffffff0).empty());
    EXPECT_TRUE(others.empty()) << "own ones are left out";
}

}  // namespace op::collect
