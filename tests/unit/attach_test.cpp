// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/attach.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "libop/error.h"

namespace op::collect {

TEST(Attach, a_thread_stands_for_its_process) {
    pid_t found = 0;
    std::thread([&] { found = process_of(::gettid()); }).join();
    EXPECT_EQ(found, ::getpid());
    EXPECT_EQ(process_of(::getpid()), ::getpid());
}

TEST(Attach, what_is_gone_is_told) {
    EXPECT_THROW(process_of(0x7ffffff0), Error);
    EXPECT_THROW(watch_process(0x7ffffff0), Error);
}

TEST(Attach, a_task_on_its_way_out_is_told_from_others) {
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

}  // namespace op::collect
