// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/attach.h"

#include <gtest/gtest.h>
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

}  // namespace op::collect
