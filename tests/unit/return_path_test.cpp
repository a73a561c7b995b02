// SPDX-License-Identifier: GPL-2.0-or-later
// Code of crti.o and crtbegin.o as gcc 12 makes it.
#include "daemon/unwind/return_path.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/unit/expected_rules.h"

namespace op::collect {

namespace {

void expect_rules(const std::vector<test::Instruction>& function) {
    test::expect_rules(rule_by_return_path, function);
}

}  // namespace

TEST(ReturnPath, of_the_init_section) {
    expect_rules({{{0xf3, 0x0f, 0x1e, 0xfa}, 8},
                  {{0x48, 0x83, 0xec, 0x08}, 8},
                  {{0x48, 0x8b, 0x05, 0xed, 0xff, 0xdc, 0x01}, 16},
                  {{0x48, 0x85, 0xc0}, 16},
                  {{0x74, 0x02}, 16},
                  {{0xff, 0xd0}, 16},
                  {{0x48, 0x83, 0xc4, 0x08}, 16},
                  {{0xc3}, 8}});
}

TEST(ReturnPath, takes_the_other_way_where_a_jump_may_lead_anywhere) {
    expect_rules({{{0x48, 0x8d, 0x3d, 0xc1, 0xff, 0xdc, 0x01}, 8},
                  {{0x48, 0x39, 0xf8}, 8},
                  {{0x74, 0x0e}, 8},
                  {{0x48, 0x8b, 0x05, 0x96, 0xff, 0xdc, 0x01}, 8},
                  {{0x48, 0x85, 0xc0}, 8},
                  {{0x74, 0x02}, 8},
                  {{0xff, 0xe0}, std::nullopt},
                  {{0xc3}, 8},
                  {{0x0f, 0x1f, 0x80, 0, 0, 0, 0}, 8},  // between functions
                  {{0xeb, 0xf6}, 8}});
}

TEST(ReturnPath, shows_where_the_frame_pointer_is_kept) {
    expect_rules({{{0x80, 0x3d, 0x4d, 0xff, 0xdc, 0x01, 0x00}, 8},
                  {{0x75, 0x22}, 8},
                  {{0x41, 0x54}, 8},  // push %r12
                  {{0x55}, 16},
                  {{0x48, 0x83, 0x3d, 0x1a, 0xff, 0xdc, 0x01, 0x00}, 24, 0},
                  {{0x48, 0x89, 0xe5}, 24, 0},
                  {{0x74, 0x05}, 24, 0},
                  {{0xe8, 0x59, 0xff, 0xff, 0xff}, 24, 0},
                  {{0xc6, 0x05, 0x25, 0xff, 0xdc, 0x01, 0x01}, 24, 0},
                  {{0x5d}, 24, 0},
                  {{0x41, 0x5c}, 16},
                  {{0xc3}, 8}});
}

TEST(ReturnPath, gives_up_at_other_instructions) {
    expect_rules({{{0x48, 0x81, 0xec, 0x00, 0x10, 0x00, 0x00}, std::nullopt},
                  {{0x48, 0x89, 0xc4}, std::nullopt},  // mov %rax,%rsp
                  {{0x48, 0x8b, 0x2f}, std::nullopt},  // mov (%rdi),%rbp
                  {{0xc9}, std::nullopt},              // leave
                  {{0xc3}, 8},
                  {{0x48, 0x8b, 0x07}, std::nullopt},  // and then the bytes end
                  {{0xe9, 0x00, 0x10, 0x00, 0x00}, std::nullopt}});
}

TEST(ReturnPath, does_not_run_into_the_function_behind_a_call_that_does_not_return) {
    expect_rules({{{0x48, 0x83, 0xec, 0x18}, std::nullopt},
                  {{0xe8, 0x00, 0x10, 0x00, 0x00}, std::nullopt},
                  {{0x53}, 8},  // push %rbx
                  {{0x5b}, 16},
                  {{0xc3}, 8}});
    expect_rules({{{0xff, 0xd0}, std::nullopt}, {{0xf3, 0x0f, 0x1e, 0xfa}, 8}, {{0xc3}, 8}});
}

TEST(ReturnPath, of_any_bytes_ends) {
    std::vector<std::byte> code(64);
    uint32_t seed = 1;
    for (int i = 0; i < 20000; ++i) {
        for (std::byte& each : code)
            each = static_cast<std::byte>((seed = seed * 1664525 + 1013904223) >> 24);
        rule_by_return_path(code, i % code.size());
    }
    const std::vector<std::byte> loop{std::byte{0xeb}, std::byte{0xfe}};
    EXPECT_EQ(rule_by_return_path(loop, 0).cfa, CfaFrom::no_info);
    EXPECT_EQ(rule_by_return_path(loop, 2).cfa, CfaFrom::no_info);
    EXPECT_EQ(rule_by_return_path({}, 0).cfa, CfaFrom::no_info);
}

}  // namespace op::collect
