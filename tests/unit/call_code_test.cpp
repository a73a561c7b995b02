// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/unwind/call_code.h"

#include <gtest/gtest.h>

#include <array>
#include <initializer_list>

namespace op::collect {

namespace {

/// The bytes at the end, behind others that are not code.
bool is_call(std::initializer_list<int> last, const UnwindMachine& machine, int before = 0x90) {
    std::array<std::byte, longest_call> code;
    code.fill(static_cast<std::byte>(before));
    size_t at = longest_call - last.size();
    for (const int each : last)
        code[at++] = static_cast<std::byte>(each);
    return ends_with_call(code, machine);
}

bool is_x86_call(std::initializer_list<int> last) {
    return is_call(last, unwind_x86_64);
}

bool is_arm_call(uint32_t word) {
    return is_call({static_cast<int>(word & 255), static_cast<int>(word >> 8 & 255),
                    static_cast<int>(word >> 16 & 255), static_cast<int>(word >> 24)},
                   unwind_aarch64);
}

bool is_power_call(uint32_t word) {
    return is_call({static_cast<int>(word & 255), static_cast<int>(word >> 8 & 255),
                    static_cast<int>(word >> 16 & 255), static_cast<int>(word >> 24)},
                   unwind_ppc64);
}

}  // namespace

TEST(CallCode, knows_the_calls_of_power) {
    EXPECT_TRUE(is_power_call(0x4bffff01));   // bl
    EXPECT_TRUE(is_power_call(0x40820005));   // bcl
    EXPECT_TRUE(is_power_call(0x4e800421));   // bctrl
    EXPECT_TRUE(is_power_call(0x4e800021));   // blrl
    EXPECT_FALSE(is_power_call(0x4bffff00));  // b
    EXPECT_FALSE(is_power_call(0x4e800420));  // bctr
    EXPECT_FALSE(is_power_call(0x4e800020));  // blr
    EXPECT_FALSE(is_power_call(0x60000000));  // nop
}

TEST(CallCode, knows_the_calls_of_x86) {
    EXPECT_TRUE(is_x86_call({0xe8, 1, 2, 3, 4}));              // call f
    EXPECT_TRUE(is_x86_call({0xff, 0xd0}));                    // call *%rax
    EXPECT_TRUE(is_x86_call({0x41, 0xff, 0xd4}));              // call *%r12
    EXPECT_TRUE(is_x86_call({0xff, 0x10}));                    // call *(%rax)
    EXPECT_TRUE(is_x86_call({0xff, 0x50, 8}));                 // call *8(%rax)
    EXPECT_TRUE(is_x86_call({0xff, 0x90, 0, 1, 0, 0}));        // call *256(%rax)
    EXPECT_TRUE(is_x86_call({0xff, 0x15, 0, 1, 0, 0}));        // call *256(%rip)
    EXPECT_TRUE(is_x86_call({0xff, 0x14, 0xd8}));              // call *(%rax,%rbx,8)
    EXPECT_TRUE(is_x86_call({0xff, 0x54, 0xd8, 8}));           // call *8(%rax,%rbx,8)
    EXPECT_TRUE(is_x86_call({0xff, 0x94, 0xd8, 0, 1, 0, 0}));  // call *256(%rax,%rbx,8)
    EXPECT_TRUE(is_x86_call({0xff, 0x14, 0x25, 0, 1, 0, 0}));  // call *256
}

TEST(CallCode, knows_other_instructions_of_x86) {
    EXPECT_FALSE(is_x86_call({0xc3}));                             // ret
    EXPECT_FALSE(is_x86_call({0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0}));  // nop
    EXPECT_FALSE(is_x86_call({0xff, 0xe0}));                       // jmp *%rax
    EXPECT_FALSE(is_x86_call({0xff, 0x25, 0, 1, 0, 0}));           // jmp *256(%rip)
    EXPECT_FALSE(is_x86_call({0xe9, 1, 2, 3, 4}));                 // jmp f
    EXPECT_FALSE(is_x86_call({0xff, 0x15, 0, 1, 0}));              // cut off
}

TEST(CallCode, knows_the_calls_of_arm) {
    EXPECT_TRUE(is_arm_call(0x94000001));   // bl
    EXPECT_TRUE(is_arm_call(0x97ffffff));   // bl, backwards
    EXPECT_TRUE(is_arm_call(0xd63f0200));   // blr x16
    EXPECT_TRUE(is_arm_call(0xd73f0a11));   // blraa x16, x17
    EXPECT_TRUE(is_arm_call(0xd63f0a1f));   // blraaz x16
    EXPECT_TRUE(is_arm_call(0xd63f0e1f));   // blrabz x16
    EXPECT_FALSE(is_arm_call(0xd503201f));  // nop
    EXPECT_FALSE(is_arm_call(0xd65f03c0));  // ret
    EXPECT_FALSE(is_arm_call(0xd61f0200));  // br x16
    EXPECT_FALSE(is_arm_call(0x14000001));  // b
}

}  // namespace op::collect
