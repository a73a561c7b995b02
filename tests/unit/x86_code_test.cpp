// SPDX-License-Identifier: GPL-2.0-or-later
// Instructions as an assembler encodes them.
#include "daemon/unwind/x86_code.h"

#include <gtest/gtest.h>

#include <vector>

namespace op::collect {

namespace {

using Kind = X86Instruction::Kind;

X86Instruction read(const std::vector<int>& bytes) {
    std::vector<std::byte> code;
    for (const int byte : bytes)
        code.push_back(static_cast<std::byte>(byte));
    return read_x86(code);
}

void expect_read(Kind kind, const std::vector<int>& bytes, int amount = 0, bool is_of_fp = false) {
    const X86Instruction found = read(bytes);
    EXPECT_EQ(found.kind, kind) << std::hex << bytes[0];
    EXPECT_EQ(found.length, kind == Kind::unknown ? 0 : bytes.size()) << std::hex << bytes[0];
    EXPECT_EQ(found.amount, amount);
    EXPECT_EQ(found.is_of_fp, is_of_fp) << std::hex << bytes[0];
}

}  // namespace

TEST(X86Code, lengths_of_plain_instructions) {
    const std::vector<std::vector<int>> all{
        {0x90},
        {0x48, 0x8b, 0x59, 0xf8},                                // mov -8(%rcx),%rbx
        {0xf6, 0x43, 0x35, 0x01},                                // testb $1,0x35(%rbx)
        {0x48, 0x89, 0x4c, 0x24, 0x08},                          // mov %rcx,8(%rsp)
        {0x49, 0x3b, 0xa7, 0x40, 0x03, 0x00, 0x00},              // cmp 0x340(%r15),%rsp
        {0x48, 0x8b, 0x05, 1, 2, 3, 4},                          // mov 0x4030201(%rip),%rax
        {0x48, 0x8d, 0x04, 0x85, 1, 2, 3, 4},                    // lea 0x4030201(,%rax,4),%rax
        {0x49, 0xbb, 1, 2, 3, 4, 5, 6, 7, 8},                    // mov $..,%r11
        {0x66, 0xc7, 0x00, 1, 2},                                // movw $0x201,(%rax)
        {0xc7, 0x47, 0x07, 3, 0, 0, 0},                          // movl $3,7(%rdi)
        {0xf7, 0x42, 0x2f, 1, 0, 0, 0},                          // testl $1,0x2f(%rdx)
        {0xf7, 0xe3},                                            // mul %ebx
        {0x0f, 0xb7, 0x49, 0x0b},                                // movzwl 0xb(%rcx),%ecx
        {0x66, 0x0f, 0x2e, 0xc8},                                // ucomisd %xmm0,%xmm1
        {0x0f, 0xae, 0xf0},                                      // mfence
        {0x66, 0x0f, 0x3a, 0x0f, 0xc1, 8},                       // palignr $8,%xmm1,%xmm0
        {0xc5, 0xf8, 0x77},                                      // vzeroupper
        {0xc5, 0xf9, 0x70, 0xc1, 1},                             // vpshufd $1,%xmm1,%xmm0
        {0xc4, 0xe3, 0x7d, 0x39, 0xc1, 1},                       // vextracti128 $1,%ymm0,%xmm1
        {0x62, 0xf3, 0x7d, 0x20, 0x3f, 0x07, 0x00},              // vpcmpb $0,(%rdi),%ymm16,%k0
        {0xf3, 0x48, 0xab},                                      // rep stos %rax,%es:(%rdi)
        {0x66, 0x2e, 0x0f, 0x1f, 0x84, 0x00, 0, 0, 0, 0},        // nopw %cs:0(%rax,%rax,1)
        {0x64, 0x48, 0x8b, 0x04, 0x25, 0x28, 0x00, 0x00, 0x00},  // mov %fs:0x28,%rax
        {0x41, 0x54, 0x90}};
    for (size_t i = 0; i + 1 < all.size(); ++i)
        expect_read(Kind::plain, all[i]);
}

TEST(X86Code, of_the_stack) {
    expect_read(Kind::push, {0x55}, 0, true);
    expect_read(Kind::push, {0x41, 0x55});
    expect_read(Kind::push, {0x6a, 0x22});
    expect_read(Kind::push, {0xff, 0x75, 0x08});
    expect_read(Kind::pop, {0x5d}, 0, true);
    expect_read(Kind::pop, {0x41, 0x5a});
    expect_read(Kind::unknown, {0x5c});
    expect_read(Kind::add_sp, {0x48, 0x83, 0xc4, 0x20}, 32);
    expect_read(Kind::add_sp, {0x48, 0x81, 0xec, 0x80, 0x01, 0x00, 0x00}, -384);
    expect_read(Kind::plain, {0x48, 0x81, 0xfc, 0x80, 0x01, 0x00, 0x00});  // cmp $0x180,%rsp
    expect_read(Kind::unknown, {0x83, 0xc4, 0x20});                        // of its lower half
    expect_read(Kind::unknown, {0x48, 0x83, 0xe4, 0xf0});                  // and $-16,%rsp
    expect_read(Kind::unknown, {0x48, 0x8d, 0x24, 0xcc});                  // lea (%rsp,%rcx,8),%rsp
    expect_read(Kind::unknown, {0x48, 0x89, 0xc4});                        // mov %rax,%rsp
    expect_read(Kind::unknown, {0x48, 0x94});                              // xchg %rax,%rsp
}

TEST(X86Code, of_the_frame_pointer) {
    expect_read(Kind::set_frame, {0x48, 0x89, 0xe5}, 0, true);
    expect_read(Kind::set_frame, {0x48, 0x8b, 0xec}, 0, true);
    expect_read(Kind::drop_frame, {0x48, 0x89, 0xec});
    expect_read(Kind::drop_frame, {0x48, 0x8b, 0xe5});
    expect_read(Kind::drop_frame, {0xc9});
    expect_read(Kind::plain, {0x48, 0x8d, 0x6c, 0x24, 0x10}, 0, true);  // lea 16(%rsp),%rbp
    expect_read(Kind::plain, {0xbd, 1, 0, 0, 0}, 0, true);              // mov $1,%ebp
}

TEST(X86Code, of_the_flow_of_control) {
    expect_read(Kind::ret, {0xc3});
    expect_read(Kind::ret, {0xc2, 0x18, 0x00});
    expect_read(Kind::branch, {0x74, 0xfe}, -2);
    expect_read(Kind::branch, {0x0f, 0x87, 0x10, 0x00, 0x00, 0x00}, 16);
    expect_read(Kind::jump, {0xeb, 0x10}, 16);
    expect_read(Kind::jump, {0xe9, 0x00, 0xff, 0xff, 0xff}, -256);
    expect_read(Kind::call, {0xe8, 0x00, 0x00, 0x00, 0x00});
    expect_read(Kind::call, {0xff, 0xd1});
    expect_read(Kind::call, {0x41, 0xff, 0x95, 0x48, 0x00, 0x00, 0x00});
    expect_read(Kind::stop, {0xff, 0xe1});
    expect_read(Kind::stop, {0x41, 0xff, 0x24, 0xda});
    expect_read(Kind::stop, {0xcc});
    expect_read(Kind::stop, {0x0f, 0x0b});
}

TEST(X86Code, does_not_guess) {
    expect_read(Kind::unknown, {0x06});
    expect_read(Kind::unknown, {0x48, 0x8b});  // cut
    expect_read(Kind::unknown, {0xe9, 0x00, 0x00});
    expect_read(Kind::unknown, {0x0f, 0x05});  // syscall
    EXPECT_EQ(read({}).kind, Kind::unknown);
    EXPECT_EQ(read(std::vector<int>(20, 0x66)).kind, Kind::unknown);
}

}  // namespace op::collect
