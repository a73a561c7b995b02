// SPDX-License-Identifier: GPL-2.0-or-later
// Code as HotSpot 17 and V8 11.3 (node 20) make it.
#include "daemon/unwind/function_entry.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/unit/expected_rules.h"

namespace op::collect {

namespace {

using Frame = FunctionEntry::Frame;
using test::Instruction;

std::vector<std::byte> bytes_of(const std::vector<int>& numbers) {
    std::vector<std::byte> bytes;
    for (const int each : numbers)
        bytes.push_back(static_cast<std::byte>(each));
    return bytes;
}

Frame frame_of(const std::vector<int>& code) {
    return read_entry(bytes_of(code)).frame;
}

bool is_target(const std::vector<int>& code) {
    return is_pushed_target(bytes_of(code));
}

/// The rule by the last entry, with what is at a constant distance from both registers named by the stack
/// pointer.
UnwindRule rule_by_entry(std::span<const std::byte> code, size_t at) {
    const FoundEntry found = last_entry(code, at);
    UnwindRule rule = found.entry.rule(at - found.at);
    if (rule.fp == SavedAt::cfa) {
        rule.fp = SavedAt::sp;
        rule.fp_offset += rule.cfa_offset;
    }
    return rule;
}

void expect_rules(const std::vector<Instruction>& function) {
    test::expect_rules(rule_by_entry, function);
}

const Instruction some_code{{0x8b, 0xc6}, std::nullopt};
const std::vector<int> probe{0x89, 0x84, 0x24, 0x00, 0xc0, 0xfe, 0xff};  // mov %eax,-0x14000(%rsp)

}  // namespace

TEST(FunctionEntry, of_a_function_that_calls_others) {
    expect_rules({some_code,
                  {probe, 8},
                  {{0x55}, 8},                                  // push %rbp
                  {{0x48, 0x83, 0xec, 0x60}, 16, 0},            // sub $96,%rsp
                  {{0x48, 0x89, 0x0c, 0x24}, 112, 96},          // mov %rcx,(%rsp)
                  {{0x8b, 0x6e, 0x1c}, 112, 96},                // mov 28(%rsi),%ebp
                  {{0xe8, 0x00, 0x10, 0x00, 0x00}, 112, 96}});  // call
    expect_rules({{probe, 8},
                  {{0x55}, 8},
                  {{0x48, 0x81, 0xec, 0xc0, 0x00, 0x00, 0x00}, 16, 0},  // sub $192,%rsp
                  {{0x48, 0x8b, 0xf2}, 208, 192}});
}

TEST(FunctionEntry, of_a_function_that_calls_nothing_and_of_a_stub) {
    expect_rules({{{0x48, 0x81, 0xec, 0x18, 0x00, 0x00, 0x00}, 8},  // sub $24,%rsp
                  {{0x48, 0x89, 0x6c, 0x24, 0x10}, 32},             // mov %rbp,16(%rsp)
                  {{0x8b, 0xc6}, 32, 16}});
    expect_rules({{{0x48, 0x81, 0xec, 0x08, 0x00, 0x00, 0x00}, 8},  // sub $8,%rsp
                  {{0x48, 0x89, 0x2c, 0x24}, 16},                   // mov %rbp,(%rsp)
                  {{0x49, 0x89, 0xa7, 0x90, 0x02, 0x00, 0x00}, 16, 0}});
    expect_rules({{{0x48, 0x81, 0xec, 0x18, 0x01, 0x00, 0x00}, 8},          // sub $280,%rsp
                  {{0x48, 0x89, 0xac, 0x24, 0x10, 0x01, 0x00, 0x00}, 288},  // mov %rbp,272(%rsp)
                  {{0x8b, 0xc6}, 288, 272}});
}

TEST(FunctionEntry, of_a_function_without_room_in_its_frame) {
    expect_rules({{probe, 8}, {{0x55}, 8}, {{0x8b, 0xc6}, 16, 0}});
}

TEST(FunctionEntry, of_a_function_that_is_no_longer_valid) {
    const std::vector<int> jump{0xe9, 0x5b, 0x1b, 0x53,
                                0x07, 0xfe, 0xff};  // over the first bytes of the probe
    expect_rules(
        {{jump, 8}, {{0x55}, 8}, {{0x48, 0x81, 0xec, 0xc0, 0, 0, 0}, 16, 0}, {{0x8b, 0xc6}, 208, 192}});
    expect_rules({{jump, 8}, {{0x55}, 8}, {{0x48, 0x83, 0xec, 0x10}, 16, 0}, {{0x8b, 0xc6}, 32, 16}});
    EXPECT_EQ(frame_of({0xe9, 1, 2, 3, 4, 0xfe, 0xff, 0x55, 0x8b, 0xc6}), Frame::none);
    EXPECT_EQ(frame_of({0xe9, 1, 2, 3, 4, 0x00, 0xff, 0x55, 0x48, 0x83, 0xec, 0x10}), Frame::none);
}

TEST(FunctionEntry, where_the_frame_pointer_finds_the_frame_there_is_no_rule) {
    EXPECT_EQ(frame_of({0x55, 0x48, 0x89, 0xe5}), Frame::by_pointer);
    EXPECT_EQ(frame_of({0x55, 0x48, 0x8b, 0xec}), Frame::by_pointer);
    expect_rules({{probe, std::nullopt},  // with -XX:+PreserveFramePointer, and where it calls C
                  {{0x55}, std::nullopt},
                  {{0x48, 0x8b, 0xec}, std::nullopt},
                  {{0x48, 0x83, 0xec, 0x20}, std::nullopt},
                  {{0x8b, 0xc6}, std::nullopt}});
}

TEST(FunctionEntry, the_last_one_counts) {
    expect_rules({{probe, 8},
                  {{0x55}, 8},
                  {{0x48, 0x83, 0xec, 0x60}, 16, 0},
                  {{0xc3}, 112, 96},
                  {{0x55}, std::nullopt},  // push %rbp
                  {{0x48, 0x89, 0xe5}, std::nullopt},
                  {{0xc3}, std::nullopt}});
}

TEST(FunctionEntry, other_code_has_no_entry) {
    EXPECT_EQ(frame_of({}), Frame::none);
    EXPECT_EQ(frame_of({0x55, 0x48, 0x83, 0xec, 0x10}), Frame::none) << "nothing was probed";
    EXPECT_EQ(frame_of({0x89, 0x84, 0x24, 0x10, 0, 0, 0, 0x55}), Frame::none) << "above the stack pointer";
    EXPECT_EQ(frame_of({0x89, 0x84, 0x24, 0xf8, 0xff, 0xff, 0xff, 0x55}), Frame::none) << "within the page";
    EXPECT_EQ(frame_of({0x48, 0x81, 0xec, 0x18, 0, 0, 0, 0x48, 0x89, 0x6c, 0x24, 0x08}), Frame::none)
        << "elsewhere";
    EXPECT_EQ(frame_of({0x89, 0x84, 0x24, 0, 0xc0, 0xfe, 0xff, 0x55, 0x48, 0x83, 0xec, 0x0c}), Frame::none)
        << "no word";
    EXPECT_EQ(frame_of({0x89, 0x84, 0x24, 0, 0xc0, 0xfe, 0xff, 0x55, 0x48, 0x83, 0xec, 0xf8}), Frame::none)
        << "negative";
    EXPECT_EQ(frame_of({0x48, 0x81, 0xec, 0, 0, 0, 0x7f, 0x48, 0x89, 0xac, 0x24, 0xf8, 0xff, 0xff, 0x7e}),
              Frame::none)
        << "too large";
    EXPECT_EQ(frame_of({0x89, 0x84, 0x24, 0, 0xc0, 0xfe}), Frame::none) << "cut";
    EXPECT_EQ(frame_of({0x48, 0x81, 0xec, 0x18}), Frame::none) << "cut";
    EXPECT_EQ(last_entry({}, 0).entry.frame, Frame::none);
}

TEST(FunctionEntry, hotspot_returns_to_addresses_that_it_pushes) {
    EXPECT_TRUE(is_target({0x48, 0x8b, 0x65, 0xf0, 0x48, 0xc7, 0x45, 0xf0, 0, 0, 0, 0}));
    EXPECT_TRUE(is_target({0xe8, 0, 0, 0, 0, 0x48, 0x83, 0x2c, 0x24, 0x05, 0xe9, 1}));
    EXPECT_FALSE(is_target({0x48, 0x8b, 0x65, 0xf0, 0x48, 0xc7, 0x45}));
    EXPECT_FALSE(is_target({0x48, 0x8b, 0x65, 0xf0, 0xc3, 0, 0, 0}));
    EXPECT_FALSE(is_target({}));
}

}  // namespace op::collect
