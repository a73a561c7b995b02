// SPDX-License-Identifier: GPL-2.0-or-later
#include "utils/shared/tool.h"

#include <gtest/gtest.h>

#include "libop/base/error.h"

namespace op::tool {

TEST(Tool, a_failed_step_is_reported_and_the_next_one_done) {
    Tool tool;
    tool.name = "tool";
    testing::internal::CaptureStderr();
    EXPECT_FALSE(tool.attempt([] { throw_system("cannot write x", ENOENT); }));
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "tool error: cannot write x: No such file or directory\n");
    EXPECT_TRUE(tool.attempt([] {}));
}

TEST(Tool, an_error_that_ends_all_is_left_to_the_caller) {
    Tool tool;
    tool.name = "tool";
    const auto is_full = [](const Error& error) { return error.code() == ENOSPC; };
    testing::internal::CaptureStderr();
    EXPECT_THROW(tool.attempt([] { throw_system("cannot write x", ENOSPC); }, is_full), Error);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    testing::internal::CaptureStderr();
    EXPECT_FALSE(tool.attempt([] { throw_system("cannot write x", ENOENT); }, is_full));
    EXPECT_NE(testing::internal::GetCapturedStderr(), "");
}

}  // namespace op::tool
