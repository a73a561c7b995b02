// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/jit/code_switches.h"

#include <gtest/gtest.h>

namespace op {

TEST(CodeSwitch, is_found_by_the_name_of_the_program) {
    EXPECT_NE(code_switch("node").find("--perf-basic-prof"), std::string_view::npos);
    EXPECT_EQ(code_switch("python3.12"), code_switch("python"));
    EXPECT_NE(code_switch("luajit-2.1.0-beta3"), "");
    EXPECT_NE(code_switch("qemu-x86_64"), "");
    EXPECT_EQ(code_switch("nodemon"), "");
    EXPECT_EQ(code_switch(""), "");
}

}  // namespace op
