// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/unwind/unwinder.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>

namespace op::collect {

namespace {

constexpr uint64_t stack_start = 0x7000, main_code = 0x1000, callee_code = 0x2000, jit_code = 0x9000;

/// Code in ranges of 0x100 bytes.
class FakeCode final : public CodeFinder {
public:
    CodePlace find(RuntimeAddress address) override {
        asked.push_back(address.value());
        const auto it = rules.find(address.value() & ~uint64_t{0xff});
        return it == rules.end() ? CodePlace{} : CodePlace{true, it->second};
    }
    std::map<uint64_t, UnwindRule> rules;
    std::vector<uint64_t> asked;
};

UnwindRule sp_rule(int32_t offset) {
    return {.cfa = CfaFrom::sp, .ra = SavedAt::cfa, .cfa_offset = offset, .ra_offset = -8};
}
UnwindRule fp_rule() {
    return {.cfa = CfaFrom::fp,
            .fp = SavedAt::cfa,
            .ra = SavedAt::cfa,
            .cfa_offset = 16,
            .fp_offset = -16,
            .ra_offset = -8};
}
UnwindRule outermost() {
    return {.cfa = CfaFrom::sp, .ra = SavedAt::undefined};
}

struct Walk : ::testing::Test {
    StackEnd run(const UnwindMachine& machine = unwind_x86_64) {
        std::vector<std::byte> bytes(words.size() * 8);
        std::memcpy(bytes.data(), words.data(), bytes.size());
        registers.by_number[machine.stack_pointer] = stack_start;
        Unwinder unwinder(machine);
        return unwinder.walk(registers, {bytes, stack_start, requested ? requested : bytes.size()}, code,
                             frames);
    }
    std::vector<uint64_t> pcs() const {
        std::vector<uint64_t> all;
        for (const WalkedFrame& frame : frames)
            all.push_back(frame.pc.value());
        return all;
    }

    FakeCode code;
    UserRegisters registers{{callee_code + 0x10}, {}};
    std::vector<uint64_t> words;
    uint64_t requested = 0;
    std::vector<WalkedFrame> frames;
};

}  // namespace

TEST_F(Walk, goes_to_the_outermost_frame) {
    code.rules = {{callee_code, sp_rule(16)}, {main_code, outermost()}};
    words = {0, main_code + 0x20};
    EXPECT_EQ(run(), StackEnd::root);
    EXPECT_EQ(pcs(), (std::vector<uint64_t>{callee_code + 0x10, main_code + 0x20}));
    EXPECT_TRUE(frames[0].is_exact);
    EXPECT_FALSE(frames[1].is_exact);
}

TEST_F(Walk, looks_for_a_caller_at_the_call_before_its_return_address) {
    code.rules = {{callee_code, sp_rule(8)}, {main_code, outermost()}};
    words = {main_code + 0x100};  // the call was the function's last instruction
    EXPECT_EQ(run(), StackEnd::root);
    EXPECT_EQ(code.asked, (std::vector<uint64_t>{callee_code + 0x10, main_code + 0xff}));
}

TEST_F(Walk, a_return_address_of_0_ends_the_stack) {
    code.rules = {{callee_code, sp_rule(8)}};
    words = {0};
    EXPECT_EQ(run(), StackEnd::root);
    EXPECT_EQ(frames.size(), 1u);
}

TEST_F(Walk, follows_frame_pointers_through_code_without_a_table_and_goes_back_to_tables) {
    code.rules = {{callee_code, sp_rule(8)}, {jit_code, {}}, {main_code, outermost()}};
    registers.by_number[6] = stack_start + 16;
    words = {jit_code + 8, 0x55, stack_start + 0x100, main_code + 4};
    EXPECT_EQ(run(), StackEnd::root);
    EXPECT_EQ(pcs(), (std::vector<uint64_t>{callee_code + 0x10, jit_code + 8, main_code + 4}));
}

TEST_F(Walk, a_frame_pointer_of_0_ends_the_stack_and_an_impossible_one_is_no_info) {
    code.rules = {{callee_code, {}}};
    words = {0, 0};
    EXPECT_EQ(run(), StackEnd::root);
    for (const uint64_t fp : {stack_start - 8, stack_start + 1, stack_start + 0x10000000}) {
        registers.by_number[6] = fp;
        EXPECT_EQ(run(), StackEnd::no_info) << fp;
    }
}

TEST_F(Walk, finds_the_start_beyond_a_frame_of_which_nothing_is_known) {
    code.rules = {{callee_code, sp_rule(8)}, {jit_code, {}}, {main_code, outermost()}};
    registers.by_number[6] = 1;
    words = {jit_code + 8, 0, callee_code + 4, 0x1234, main_code + 4, 0};
    EXPECT_EQ(run(), StackEnd::root);
    EXPECT_EQ(pcs(), (std::vector<uint64_t>{callee_code + 0x10, jit_code + 8, main_code + 4}));
    words.insert(words.begin() + 1, 16, 0);
    EXPECT_EQ(run(), StackEnd::no_info);
    EXPECT_EQ(frames.size(), 2u);
}

TEST_F(Walk, the_caller_of_a_signal_frame_is_looked_for_at_its_exact_pc) {
    UnwindRule signal{.cfa = CfaFrom::sp_memory,
                      .ra = SavedAt::sp,
                      .is_signal_frame = true,
                      .cfa_offset = 8,
                      .ra_offset = 16};
    code.rules = {{callee_code, sp_rule(8)}, {jit_code, signal}, {main_code, outermost()}};
    words = {jit_code + 1, 0, stack_start + 40, main_code, 0, 0};
    EXPECT_EQ(run(), StackEnd::root);
    EXPECT_EQ(code.asked.back(), main_code);
    EXPECT_TRUE(frames.back().is_exact);
}

TEST_F(Walk, the_code_that_a_handler_returns_to_was_not_called) {
    UnwindRule signal = sp_rule(8);
    signal.is_signal_frame = true;
    code.rules = {{callee_code, sp_rule(8)}, {jit_code, signal}, {main_code, outermost()}};
    words = {jit_code + 1, main_code + 4};
    EXPECT_EQ(run(), StackEnd::root);
    ASSERT_EQ(frames.size(), 3u);
    EXPECT_TRUE(frames[1].is_exact);
}

TEST_F(Walk, a_copy_that_is_too_short_differs_from_absent_pages) {
    code.rules = {{callee_code, sp_rule(32)}};
    words = {0, 0};
    EXPECT_EQ(run(), StackEnd::dump_short);
    requested = 4096;
    EXPECT_EQ(run(), StackEnd::page_absent);
}

TEST_F(Walk, a_frame_far_away_is_on_another_stack) {
    code.rules = {{callee_code, fp_rule()}};
    words = {0, 0};
    registers.by_number[6] = stack_start + (uint64_t{1} << 30);
    EXPECT_EQ(run(), StackEnd::stack_switch);
    registers.by_number[6] = 0x100;
    EXPECT_EQ(run(), StackEnd::stack_switch);
}

TEST_F(Walk, an_address_outside_all_code_is_no_frame) {
    code.rules = {{callee_code, sp_rule(8)}};
    words = {0xdead};
    EXPECT_EQ(run(), StackEnd::no_mapping);
    EXPECT_EQ(frames.size(), 1u);
}

TEST_F(Walk, ends_where_frames_do_not_grow_and_where_there_are_too_many) {
    code.rules = {{callee_code, sp_rule(0)}};
    words = {callee_code + 2};
    registers.pc = {callee_code + 2};
    code.rules[callee_code].ra_offset = 0;
    EXPECT_EQ(run(), StackEnd::no_progress);
    code.rules = {{callee_code, sp_rule(8)}};
    words.assign(5000, callee_code + 2);
    EXPECT_EQ(run(), StackEnd::too_deep);
    EXPECT_EQ(frames.size(), Unwinder::deepest);
}

TEST_F(Walk, rules_by_other_registers_hold_in_the_innermost_frame_only) {
    code.rules = {
        {callee_code, {.cfa = CfaFrom::other, .ra = SavedAt::cfa, .cfa_addend = 10, .ra_offset = -8}},
        {main_code, outermost()}};
    registers.by_number[10] = stack_start + 8;
    words = {main_code + 4};
    EXPECT_EQ(run(), StackEnd::root);
    words = {callee_code + 4};
    EXPECT_EQ(run(), StackEnd::unsupported);
}

TEST_F(Walk, a_return_address_in_a_register_leaves_the_frame_empty) {
    UnwindRule vfork = sp_rule(0);
    vfork.ra = SavedAt::other;
    vfork.ra_offset = 5;
    code.rules = {{callee_code, vfork}, {main_code, outermost()}};
    registers.by_number[5] = main_code + 4;
    words = {0};
    EXPECT_EQ(run(), StackEnd::root);
    EXPECT_EQ(pcs(), (std::vector<uint64_t>{callee_code + 0x10, main_code + 4}));
}

TEST_F(Walk, a_frame_pointer_that_was_popped_already_stays) {
    UnwindRule rule = sp_rule(8);
    rule.fp = SavedAt::cfa;
    rule.fp_offset = -16;
    code.rules = {{callee_code, rule}, {main_code, fp_rule()}, {jit_code, outermost()}};
    registers.by_number[6] = stack_start + 16;
    words = {main_code + 4, 0, 0x55, jit_code + 4};
    EXPECT_EQ(run(), StackEnd::root);
    EXPECT_EQ(pcs().back(), jit_code + 4);
}

TEST_F(Walk, procedure_linkage_tables_have_two_frame_sizes_an_entry) {
    code.rules = {{callee_code, {.cfa = CfaFrom::plt, .ra = SavedAt::cfa, .cfa_offset = 11, .ra_offset = -8}},
                  {main_code, outermost()}};
    registers.pc = {callee_code + 0x1a};
    words = {main_code + 4, main_code + 8};
    run();
    EXPECT_EQ(pcs().at(1), main_code + 4);
    registers.pc = {callee_code + 0x1b};
    run();
    EXPECT_EQ(pcs().at(1), main_code + 8);
}

TEST_F(Walk, the_link_register_holds_the_innermost_return_address_alone) {
    code.rules = {{callee_code, {.cfa = CfaFrom::sp}}, {main_code, outermost()}};
    registers.by_number[30] = main_code + 4;
    words = {0, 0};
    EXPECT_EQ(run(unwind_aarch64), StackEnd::root);
    EXPECT_EQ(pcs().at(1), main_code + 4);
    registers.by_number[30] = callee_code + 4;
    EXPECT_EQ(run(unwind_aarch64), StackEnd::no_progress);
    EXPECT_EQ(frames.size(), 2u);
}

TEST_F(Walk, signatures_of_return_addresses_are_masked) {
    code.rules = {{callee_code, {.cfa = CfaFrom::sp, .ra = SavedAt::cfa, .cfa_offset = 16, .ra_offset = -8}},
                  {main_code, outermost()}};
    words = {0, 0x00b5000000000000 | (main_code + 4)};
    EXPECT_EQ(run(unwind_aarch64), StackEnd::root);
    EXPECT_EQ(pcs().at(1), main_code + 4);
}

TEST_F(Walk, of_a_32_bit_program_follows_frame_pointers_of_four_bytes) {
    code.rules = {{callee_code, {}}, {main_code, {}}};
    const auto pair = [](uint64_t fp, uint64_t address) { return fp | address << 32; };
    words = {0, pair(stack_start + 24, main_code + 0x20), 0, pair(0, main_code + 0x40)};
    std::vector<std::byte> bytes(words.size() * 8);
    std::memcpy(bytes.data(), words.data(), bytes.size());
    registers.by_number[unwind_x86_64.stack_pointer] = stack_start;
    registers.by_number[unwind_x86_64.frame_pointer] = stack_start + 8;
    const Unwinder unwinder(unwind_x86_64);
    const StackMemory memory(bytes, stack_start, bytes.size());
    EXPECT_EQ(unwinder.walk_32_bit(registers, memory, code, frames), StackEnd::frame_pointers);
    EXPECT_EQ(pcs(), (std::vector<uint64_t>{callee_code + 0x10, main_code + 0x20, main_code + 0x40}));
    const StackMemory cut({bytes.data(), 20}, stack_start, 20);
    EXPECT_EQ(unwinder.walk_32_bit(registers, cut, code, frames), StackEnd::dump_short);
    EXPECT_EQ(pcs().size(), 2u);
    code.rules.erase(main_code);
    EXPECT_EQ(unwinder.walk_32_bit(registers, memory, code, frames), StackEnd::no_mapping);
    EXPECT_EQ(pcs().size(), 1u);
}

}  // namespace op::collect
