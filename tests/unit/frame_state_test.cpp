// SPDX-License-Identifier: GPL-2.0-or-later
// Code as V8 11.3 (node 20) and HotSpot 17 make it.
#include "daemon/unwind/frame_state.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/unit/expected_rules.h"

namespace op::collect {

namespace {

void expect_rules(const std::vector<test::Instruction>& function) {
    test::expect_rules(rule_without_frame, function);
}

}  // namespace

TEST(FrameState, where_v8_makes_and_drops_a_frame) {
    expect_rules({{{0x48, 0x8b, 0x59, 0xf8}, 8},                   // mov -8(%rcx),%rbx
                  {{0xf6, 0x43, 0x35, 0x01}, 8},                   // testb $1,0x35(%rbx)
                  {{0x0f, 0x85, 0x32, 0x6e, 0xe4, 0x1f}, 8},       // jne: the code is no longer valid
                  {{0x55}, 8},                                     // push %rbp
                  {{0x48, 0x89, 0xe5}, 16, 0},                     // mov %rsp,%rbp
                  {{0x56}, std::nullopt},                          // push %rsi
                  {{0x48, 0x83, 0xec, 0x10}, std::nullopt},        // sub $16,%rsp
                  {{0xe8, 0x00, 0x10, 0x00, 0x00}, std::nullopt},  // call
                  {{0x48, 0x8b, 0x4d, 0xe8}, std::nullopt},        // mov -24(%rbp),%rcx
                  {{0x48, 0x8b, 0xe5}, std::nullopt},              // mov %rbp,%rsp
                  {{0x5d}, 16, 0},                                 // pop %rbp
                  {{0x48, 0x83, 0xf9, 0x03}, 8},                   // cmp $3,%rcx
                  {{0x7f, 0x03}, 8},                               // jg
                  {{0xc2, 0x18, 0x00}, 8},                         // ret $24
                  {{0x41, 0x5a}, std::nullopt},                    // pop %r10
                  {{0x48, 0x8d, 0x24, 0xcc}, std::nullopt},        // lea (%rsp,%rcx,8),%rsp
                  {{0x41, 0x52}, std::nullopt},                    // push %r10: where it returns to
                  {{0xc3}, 8}});
}

TEST(FrameState, where_v8_makes_no_frame_on_the_way_it_takes) {
    expect_rules({{{0x48, 0x8b, 0x7b, 0xff}, 8},   // mov -1(%rbx),%rdi
                  {{0x41, 0xf6, 0xc0, 0x01}, 8},   // test $1,%r8b
                  {{0x74, 0x01}, 8},               // je
                  {{0xc3}, 8},                     // ret
                  {{0x55}, 8},                     // push %rbp
                  {{0x48, 0x89, 0xe5}, 16, 0},     // mov %rsp,%rbp
                  {{0x6a, 0x22}, std::nullopt},    // push $34
                  {{0xff, 0xe1}, std::nullopt}});  // jmp *%rcx
}

TEST(FrameState, where_hotspot_makes_and_drops_a_frame) {
    expect_rules({{{0x89, 0x84, 0x24, 0x00, 0xc0, 0xfe, 0xff}, 8},  // mov %eax,-0x14000(%rsp)
                  {{0x55}, 8},                                      // push %rbp
                  {{0x48, 0x8b, 0xec}, 16, 0},                      // mov %rsp,%rbp
                  {{0x48, 0x83, 0xec, 0x20}, std::nullopt},         // sub $32,%rsp
                  {{0xe8, 0x00, 0x10, 0x00, 0x00}, std::nullopt},   // call
                  {{0x8b, 0xc6}, 48, 32},                           // mov %esi,%eax
                  {{0x48, 0x83, 0xc4, 0x20}, 48, 32},               // add $32,%rsp
                  {{0x5d}, 16, 0},                                  // pop %rbp
                  {{0x49, 0x3b, 0xa7, 0x40, 0x03, 0x00, 0x00}, 8},  // cmp 0x340(%r15),%rsp
                  {{0x0f, 0x87, 0x1d, 0x00, 0x00, 0x00}, 8},        // ja
                  {{0xc3}, 8}});
}

TEST(FrameState, where_hotspot_makes_the_frame_of_a_function_that_calls_nothing) {
    expect_rules({{{0x48, 0x81, 0xec, 0x18, 0x00, 0x00, 0x00}, 8},  // sub $24,%rsp
                  {{0x48, 0x89, 0x6c, 0x24, 0x10}, 32, 16},         // mov %rbp,16(%rsp)
                  {{0x48, 0x8b, 0xec}, 32, 16},                     // mov %rsp,%rbp
                  {{0x48, 0x83, 0xc5, 0x10}, 32, 16},               // add $16,%rbp
                  {{0x8b, 0xc6}, 32, 16},                           // mov %esi,%eax
                  {{0x48, 0x83, 0xc4, 0x10}, 32, 16},               // add $16,%rsp
                  {{0x5d}, 16, 0},                                  // pop %rbp
                  {{0xc3}, 8}});
}

TEST(FrameState, where_hotspot_checks_the_class_before_a_function_begins) {
    expect_rules({{{0x44, 0x8b, 0x56, 0x08}, 8},                       // mov 8(%rsi),%r10d
                  {{0x49, 0xbb, 0, 0, 0, 0x2f, 0x32, 0x7f, 0, 0}, 8},  // mov $..,%r11
                  {{0x4d, 0x03, 0xd3}, 8},                             // add %r11,%r10
                  {{0x49, 0x3b, 0xc2}, 8},                             // cmp %r10,%rax
                  {{0x0f, 0x85, 0x06, 0xe8, 0xaa, 0xff}, 8},           // jne: it is of another class
                  {{0x66, 0x90}, 8},                                   // nop
                  {{0x89, 0x84, 0x24, 0x00, 0xc0, 0xfe, 0xff}, 8},     // mov %eax,-0x14000(%rsp)
                  {{0x55}, std::nullopt},                              // push %rbp
                  {{0x48, 0x83, 0xec, 0x60}, std::nullopt},            // sub $96,%rsp
                  {{0xe8, 0x00, 0x10, 0x00, 0x00}, std::nullopt}});    // call
}

TEST(FrameState, gives_up_where_the_caller_s_frame_pointer_is_overwritten) {
    expect_rules({{{0xbd, 1, 0, 0, 0}, std::nullopt}, {{0xc3}, 8}});
    expect_rules({{{0xbd, 1, 0, 0, 0}, 16, 0}, {{0x5d}, 16, 0}, {{0xc3}, 8}});
}

TEST(FrameState, ends_in_a_loop_and_outside_the_code) {
    expect_rules({{{0xeb, 0xfe}, std::nullopt}});
    expect_rules({{{0x90}, std::nullopt}});
    expect_rules({{{0xeb, 0x80}, std::nullopt}});
    EXPECT_EQ(rule_without_frame({}, 0).cfa, CfaFrom::no_info);
}

}  // namespace op::collect
