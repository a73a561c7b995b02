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
        return it == rules.end() ? CodePlace{}
                                 : CodePlace{true, it->second, address.value() + 1 == never_returned_to,
                                             address.value() >= run_time_from};
    }
    UnwindRule find_register(RuntimeAddress address, uint8_t number) override {
        const auto it = kept.find({address.value() & ~uint64_t{0xff}, number});
        return it == kept.end() ? UnwindRule{} : it->second;
    }
    UnwindRule read_code(RuntimeAddress address) override {
        const auto it = by_code.find(address.value());
        return it == by_code.end() ? UnwindRule{} : it->second;
    }
    UnwindRule find_by_entry(RuntimeAddress address) override {
        const auto it = by_entry.find(address.value() & ~uint64_t{0xff});
        return it == by_entry.end() ? UnwindRule{} : it->second;
    }
    bool is_entered_by(RuntimeAddress returns_to, RuntimeAddress) override {
        return returns_to.value() == enters;
    }
    bool is_after_no_call(RuntimeAddress address) override { return address.value() == never_called_before; }
    std::map<uint64_t, UnwindRule> rules;
    uint64_t never_called_before = 0;
    uint64_t never_returned_to = 0;
    std::map<std::pair<uint64_t, uint8_t>, UnwindRule> kept;  ///< by code and register
    std::map<uint64_t, UnwindRule> by_code;                   ///< by instruction
    std::map<uint64_t, UnwindRule> by_entry;                  ///< by code
    uint64_t enters = 0;                  ///< returned to by the call of the innermost function
    uint64_t run_time_from = UINT64_MAX;  ///< code from there on is in no file
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

TEST_F(Walk, an_address_that_no_call_returns_to_is_looked_up_as_it_is) {
    code.rules = {{callee_code, sp_rule(8)}, {main_code, sp_rule(8)}, {main_code + 0x100, outermost()}};
    code.never_returned_to = main_code + 0x100;
    words = {main_code + 0x100, 0};
    EXPECT_EQ(run(), StackEnd::root);
    EXPECT_EQ(code.asked.back(), main_code + 0x100);
    ASSERT_EQ(frames.size(), 2u);
    EXPECT_TRUE(frames[1].is_exact);
    // A function that nobody called has a caller if there is code, and is the outermost frame if not.
    code.rules[main_code + 0x100] = sp_rule(8);
    words[1] = jit_code + 4;
    EXPECT_EQ(run(), StackEnd::root);
    EXPECT_EQ(frames.size(), 2u);
    code.rules[jit_code] = outermost();
    EXPECT_EQ(run(), StackEnd::root);
    EXPECT_EQ(frames.size(), 3u);
    EXPECT_FALSE((code.asked.clear(), code.never_returned_to = 0, run(), frames[1].is_exact));
    EXPECT_EQ(code.asked.size(), 3u) << "any other address is looked up once";
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

TEST_F(Walk, a_frame_pointer_of_0_ends_the_stack_of_a_function_that_was_called) {
    code.rules = {{callee_code, sp_rule(8)}, {main_code, {}}};
    words = {main_code + 4, 0};
    EXPECT_EQ(run(), StackEnd::root);
    EXPECT_EQ(frames.size(), 2u);
    // By its frame pointer, which was 0 before.
    code.rules = {{callee_code, {}}, {main_code, {}}};
    registers.by_number[6] = stack_start;
    words = {0, main_code + 4};
    EXPECT_EQ(run(), StackEnd::root);
    EXPECT_EQ(frames.size(), 2u);
}

TEST_F(Walk, a_frame_pointer_that_may_be_data_ends_no_stack) {
    code.rules = {{callee_code, {}}};
    words = {0, 0};
    for (const uint64_t fp :
         {uint64_t{0}, stack_start, stack_start - 8, stack_start + 1, stack_start + 0x10000000}) {
        registers.by_number[6] = fp;
        EXPECT_EQ(run(), StackEnd::no_info) << fp;
        EXPECT_EQ(frames.size(), 1u) << fp;
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

TEST_F(Walk, reads_the_code_of_a_leaf_without_a_table) {
    code.rules = {{callee_code, {}}, {main_code, outermost()}};
    code.by_code = {{callee_code + 0x10, sp_rule(16)}};
    registers.by_number[6] = stack_start + 16;  // would be taken for a frame pointer
    words = {0, main_code + 4, stack_start + 0x100, main_code + 8};
    EXPECT_EQ(run(), StackEnd::root);
    EXPECT_EQ(pcs(), (std::vector<uint64_t>{callee_code + 0x10, main_code + 4}));
}

TEST_F(Walk, of_a_leaf_whose_code_makes_its_frame_later_the_caller_is_not_left_out) {
    code.rules = {{jit_code, {}}, {callee_code, {}}, {main_code, outermost()}};
    code.by_code = {{jit_code + 8, sp_rule(8)}};
    registers.pc = {jit_code + 8};
    registers.by_number[6] = stack_start + 16;  // the caller's
    words = {callee_code + 4, 1, 0, main_code + 4};
    EXPECT_EQ(run(), StackEnd::root);
    EXPECT_EQ(pcs(), (std::vector<uint64_t>{jit_code + 8, callee_code + 4, main_code + 4}));
}

TEST_F(Walk, what_the_code_shows_does_not_hold_where_nothing_returns_to) {
    code.rules = {{jit_code, {}}, {callee_code, {}}, {main_code, outermost()}};
    code.by_code = {{jit_code + 8, sp_rule(8)}};
    registers.pc = {jit_code + 8};
    registers.by_number[6] = stack_start + 16;
    words = {callee_code + 4, 1, 0, main_code + 4};
    code.never_called_before = callee_code + 4;
    EXPECT_EQ(run(), StackEnd::root);
    EXPECT_EQ(pcs(), (std::vector<uint64_t>{jit_code + 8, main_code + 4}));
    words[0] = 0x1234;  // no code
    EXPECT_EQ(run(), StackEnd::root);
    EXPECT_EQ(pcs(), (std::vector<uint64_t>{jit_code + 8, main_code + 4}));
}

namespace {

constexpr uint64_t compiled_code = 0xa000, interpreter = 0xb000;

/// Of a function with a frame of `size` bytes below the caller's frame pointer.
UnwindRule sized_rule(int32_t size) {
    return {.cfa = CfaFrom::sp,
            .fp = SavedAt::cfa,
            .ra = SavedAt::cfa,
            .cfa_offset = size + 16,
            .fp_offset = -16,
            .ra_offset = -8};
}

/// Compiled functions, which use the frame pointer for data, and an interpreter, which has one.
struct WalkOfRunTimeCode : Walk {
    WalkOfRunTimeCode() {
        code.rules = {{jit_code, {}}, {compiled_code, {}}, {interpreter, {}}, {main_code, outermost()}};
        code.by_entry = {{jit_code, sized_rule(8)}, {compiled_code, sized_rule(16)}};
        code.run_time_from = jit_code;
        registers.pc = {jit_code + 0x10};
        registers.by_number[6] = 0x1234;  // data
    }
};

}  // namespace

TEST_F(WalkOfRunTimeCode, frames_of_a_size_lead_to_one_that_has_a_frame_pointer) {
    words = {0,
             5,
             compiled_code + 4,
             0,
             0,
             stack_start + 64,
             interpreter + 4,
             7,
             stack_start + 0x100,
             main_code + 4};
    EXPECT_EQ(run(), StackEnd::root);
    EXPECT_EQ(pcs(),
              (std::vector<uint64_t>{jit_code + 0x10, compiled_code + 4, interpreter + 4, main_code + 4}));
}

TEST_F(WalkOfRunTimeCode, the_innermost_function_may_have_pushed_words) {
    code.by_entry[jit_code] = sized_rule(0);
    words = {1, 2, 3, main_code + 4};
    EXPECT_EQ(run(), StackEnd::root);
    EXPECT_EQ(pcs(), (std::vector<uint64_t>{jit_code + 0x10, main_code + 4}));
    words = {1, 2, 3, 4, main_code + 4};
    EXPECT_EQ(run(), StackEnd::no_info) << "more than two";
}

TEST_F(WalkOfRunTimeCode, a_size_that_leads_to_no_return_address_is_no_info) {
    words = {0, 0, 0x1234, 0, 0, 0, main_code + 4};
    registers.by_number[6] = stack_start + 40;
    EXPECT_EQ(run(), StackEnd::no_info) << "the frame pointer is not believed";
    words[2] = compiled_code + 4;
    code.never_called_before = compiled_code + 4;
    EXPECT_EQ(run(), StackEnd::no_info);
    EXPECT_EQ(frames.size(), 1u);
}

TEST_F(WalkOfRunTimeCode, the_caller_of_an_interpreter_goes_on_behind_its_variables) {
    registers.pc = {interpreter + 0x10};
    registers.by_number[6] = stack_start + 8;
    // What it keeps, the frame, two variables, and the frame of the compiled caller.
    words = {stack_start + 40, 0x77, compiled_code + 4, 1, 2, 3, 4, 0x55, main_code + 4};
    EXPECT_EQ(run(), StackEnd::root);
    EXPECT_EQ(pcs(), (std::vector<uint64_t>{interpreter + 0x10, compiled_code + 4, main_code + 4}));
    for (const uint64_t other : {stack_start + 41, stack_start - 8, stack_start + 0x100000}) {
        words[0] = other;
        EXPECT_EQ(run(), StackEnd::no_info) << other;
    }
}

TEST_F(WalkOfRunTimeCode, a_function_without_a_frame_is_found_by_the_call_that_entered_it) {
    registers.pc = {interpreter + 0x10};
    words = {compiled_code + 4, 1, 2, 3, main_code + 4};
    EXPECT_EQ(run(), StackEnd::no_info);
    code.enters = compiled_code + 4;
    EXPECT_EQ(run(), StackEnd::root);
    EXPECT_EQ(pcs(), (std::vector<uint64_t>{interpreter + 0x10, compiled_code + 4, main_code + 4}));
}

TEST_F(WalkOfRunTimeCode, a_frame_pointer_that_leads_nowhere_makes_no_stack_complete) {
    registers.pc = {interpreter + 0x10};
    words = {0, 0, 0, 0, main_code + 4};
    registers.by_number[6] = 0;
    EXPECT_EQ(run(), StackEnd::no_info);
    registers.by_number[6] = stack_start;
    EXPECT_EQ(run(), StackEnd::no_info) << "no return address there";
    words[1] = main_code + 4;
    EXPECT_EQ(run(), StackEnd::root);
    code.never_called_before = main_code + 4;
    EXPECT_EQ(run(), StackEnd::no_info);
}

TEST_F(WalkOfRunTimeCode, a_frame_beyond_the_copy_is_a_short_copy) {
    code.by_entry[jit_code] = sized_rule(800);
    words = {1, 2, 3};
    EXPECT_EQ(run(), StackEnd::dump_short);
}

TEST_F(Walk, reads_no_code_at_a_return_address) {
    code.rules = {{callee_code, sp_rule(8)}, {jit_code, {}}, {main_code, outermost()}};
    code.by_code = {{jit_code + 8, sp_rule(8)}, {jit_code + 7, sp_rule(8)}};
    registers.by_number[6] = 1;
    words = {jit_code + 8, callee_code + 4, callee_code + 8, 0};
    EXPECT_EQ(run(), StackEnd::no_info);
    EXPECT_EQ(frames.size(), 2u);
}

namespace {

constexpr uint8_t rbx = 3, r10 = 10;

/// A frame whose size only this register has.
UnwindRule register_rule(uint8_t number) {
    return {
        .cfa = CfaFrom::other, .ra = SavedAt::cfa, .cfa_offset = 16, .cfa_addend = number, .ra_offset = -8};
}

/// The register is kept at CFA + offset.
UnwindRule kept_at(int32_t offset) {
    return {.cfa = CfaFrom::sp, .fp = SavedAt::cfa, .ra = SavedAt::cfa, .cfa_offset = 8, .fp_offset = offset};
}

}  // namespace

TEST_F(Walk, follows_a_register_that_a_frame_further_out_needs) {
    constexpr uint64_t leaf_code = 0x3000;
    code.rules = {{leaf_code, sp_rule(8)},
                  {callee_code, sp_rule(24)},
                  {jit_code, register_rule(rbx)},
                  {main_code, outermost()}};
    code.kept = {{{leaf_code, rbx}, sp_rule(8)}, {{callee_code, rbx}, kept_at(-16)}};
    registers.pc = {leaf_code + 4};
    registers.by_number[rbx] = 0x5555;
    // leaf, callee with rbx on its stack, 3 words of an aligned frame, main
    words = {callee_code + 8, 0, stack_start + 56, jit_code + 8, 0, 0, 0, 0, main_code + 4, 0};
    EXPECT_EQ(run(), StackEnd::root);
    EXPECT_EQ(pcs(), (std::vector<uint64_t>{leaf_code + 4, callee_code + 8, jit_code + 8, main_code + 4}));
}

TEST_F(Walk, a_register_of_which_a_frame_has_no_rule_is_not_followed) {
    code.rules = {{callee_code, sp_rule(8)}, {jit_code, register_rule(rbx)}, {main_code, outermost()}};
    registers.by_number[rbx] = stack_start + 16;
    words = {jit_code + 8, 0, 0, main_code + 4, 0};
    EXPECT_EQ(run(), StackEnd::unsupported);
    code.kept = {{{callee_code, rbx}, sp_rule(8)}};
    EXPECT_EQ(run(), StackEnd::root);
}

TEST_F(Walk, a_register_that_calls_overwrite_is_followed_to_the_direct_caller_alone) {
    code.rules = {{callee_code, sp_rule(8)}, {jit_code, register_rule(r10)}, {main_code, outermost()}};
    code.kept = {{{callee_code, r10}, sp_rule(8)}, {{jit_code, r10}, sp_rule(8)}};
    registers.by_number[r10] = stack_start + 16;
    words = {jit_code + 8, 0, 0, main_code + 4, 0};
    EXPECT_EQ(run(), StackEnd::root);
    EXPECT_EQ(pcs(), (std::vector<uint64_t>{callee_code + 0x10, jit_code + 8, main_code + 4}));
    // Not where it leads to no code, or to where nothing returns.
    code.never_called_before = main_code + 4;
    EXPECT_EQ(run(), StackEnd::unsupported);
    code.never_called_before = 0;
    words[3] = 0x5555;
    EXPECT_EQ(run(), StackEnd::unsupported);
    // Nor further out.
    words = {callee_code + 4, jit_code + 8, 0, 0, main_code + 4, 0};
    registers.by_number[r10] = stack_start + 24;
    EXPECT_EQ(run(), StackEnd::unsupported);
    EXPECT_EQ(frames.size(), 3u);
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

TEST_F(Walk, a_frame_larger_than_the_copy_is_on_the_same_stack) {
    words.assign(2048, 0);
    code.rules = {{callee_code, sp_rule(200'008)}};
    EXPECT_EQ(run(), StackEnd::dump_short);
    code.rules = {{callee_code, sp_rule(100'000'008)}};  // of no other stack: no register is involved
    EXPECT_EQ(run(), StackEnd::dump_short);
    code.rules = {{callee_code, fp_rule()}};
    registers.by_number[6] = stack_start + 200'000;
    EXPECT_EQ(run(), StackEnd::dump_short);
    requested = 65536;
    EXPECT_EQ(run(), StackEnd::page_absent);
}

TEST_F(Walk, what_a_handler_interrupted_may_have_run_on_another_stack) {
    UnwindRule signal{.cfa = CfaFrom::sp_memory,
                      .ra = SavedAt::sp,
                      .is_signal_frame = true,
                      .cfa_offset = 8,
                      .ra_offset = 16};
    code.rules = {{callee_code, sp_rule(8)}, {jit_code, signal}, {main_code, sp_rule(8)}};
    words = {jit_code + 1, 0, stack_start + 1'000'000, main_code};
    EXPECT_EQ(run(), StackEnd::stack_switch);
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

TEST_F(Walk, a_function_that_realigned_the_stack_keeps_its_callers_at_its_own_frame_pointer) {
    const UnwindRule realigned{.cfa = CfaFrom::fp_memory,
                               .fp = SavedAt::fp,
                               .ra = SavedAt::cfa,
                               .cfa_offset = -8,
                               .fp_offset = 0,
                               .ra_offset = -8};
    code.rules = {{callee_code, realigned}, {main_code, fp_rule()}, {jit_code, outermost()}};
    registers.by_number[6] = stack_start + 16;
    words = {0, stack_start + 48, stack_start + 56, 0, 0, main_code + 4, 0, 0, jit_code + 4};
    EXPECT_EQ(run(), StackEnd::root);
    EXPECT_EQ(pcs(), (std::vector<uint64_t>{callee_code + 0x10, main_code + 4, jit_code + 4}));
    // At its return, of which the rule still has that place, the frame pointer is the caller's again.
    UnwindRule at_return = realigned;
    at_return.cfa = CfaFrom::sp;
    at_return.cfa_offset = 8;
    code.rules[callee_code] = at_return;
    registers.by_number[6] = stack_start + 16;
    words = {main_code + 4, 0, 0x55, jit_code + 4};
    EXPECT_EQ(run(), StackEnd::root);
    EXPECT_EQ(frames.size(), 3u);
    // But not where it has called another function: the rule leads nowhere there.
    code.rules = {{callee_code, sp_rule(8)}, {main_code, at_return}, {jit_code, outermost()}};
    words = {main_code + 4, jit_code + 4, 0x55, jit_code + 4};
    EXPECT_EQ(run(), StackEnd::unsupported);
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

// On POWER the word at the stack pointer is the caller's stack pointer, and the third one of the caller's
// frame the return address.
constexpr int32_t link_save = 16;

UnwindRule power_rule(int32_t size) {
    return {.cfa = CfaFrom::sp, .ra = SavedAt::cfa, .cfa_offset = size, .ra_offset = link_save};
}

TEST_F(Walk, on_power_the_table_shows_where_the_innermost_return_address_is) {
    code.rules = {{callee_code, {.cfa = CfaFrom::sp}}, {main_code, power_rule(32)}};
    registers.by_number[unwind_ppc64.link_register] = main_code + 4;
    // The third word is of an earlier call, as the function has not stored its own yet.
    words = {stack_start + 32, 0, jit_code + 4, 0, 0, 0, 0};
    EXPECT_EQ(run(unwind_ppc64), StackEnd::root) << "a return address of zero";
    EXPECT_EQ(pcs(), (std::vector<uint64_t>{callee_code + 0x10, main_code + 4}));
    // In another register, as after mflr.
    code.rules[callee_code] = {.cfa = CfaFrom::sp, .ra = SavedAt::other, .ra_offset = 0};
    registers.by_number[0] = main_code + 8;
    EXPECT_EQ(run(unwind_ppc64), StackEnd::root);
    EXPECT_EQ(pcs().at(1), main_code + 8);
    // In the caller's frame, before and after the function's own frame is there.
    for (const int32_t size : {0, 32}) {
        code.rules[callee_code] = power_rule(size);
        words = {stack_start + 32, 0, main_code + 12, 0, stack_start + 64, 0, main_code + 16, 0, 0, 0, 0};
        EXPECT_EQ(run(unwind_ppc64), StackEnd::root);
        EXPECT_EQ(pcs().at(1), main_code + (size == 0 ? 12 : 16));
    }
}

TEST_F(Walk, on_power_callers_without_tables_are_found_by_the_back_chain) {
    code.rules = {{callee_code, {.cfa = CfaFrom::sp}}, {jit_code, {}}, {main_code, power_rule(32)}};
    registers.by_number[unwind_ppc64.link_register] = jit_code + 4;
    words = {stack_start + 32, 0, 0, 0, stack_start + 64, 0, main_code + 4, 0, 0, 0, 0, 0};
    EXPECT_EQ(run(unwind_ppc64), StackEnd::root);
    EXPECT_EQ(pcs(), (std::vector<uint64_t>{callee_code + 0x10, jit_code + 4, main_code + 4}));
    // A null back chain is the outermost frame.
    words = {0, 0, 0, 0};
    EXPECT_EQ(run(unwind_ppc64), StackEnd::root);
    EXPECT_EQ(frames.size(), 2u);
    // So it is where the table has a rule for the innermost frame alone.
    code.rules[jit_code] = {.cfa = CfaFrom::sp};
    EXPECT_EQ(run(unwind_ppc64), StackEnd::root);
    EXPECT_EQ(frames.size(), 2u);
}

TEST_F(Walk, on_power_a_frame_that_another_register_finds_is_found_by_the_back_chain) {
    code.rules = {
        {callee_code, {.cfa = CfaFrom::other, .ra = SavedAt::cfa, .cfa_addend = 31, .ra_offset = link_save}},
        {main_code, power_rule(32)}};
    registers.by_number[31] = 0x123456;
    words = {stack_start + 32, 0, 0, 0, stack_start + 64, 0, main_code + 4, 0, 0, 0, 0};
    EXPECT_EQ(run(unwind_ppc64), StackEnd::root);
    EXPECT_EQ(pcs(), (std::vector<uint64_t>{callee_code + 0x10, main_code + 4}));
}

TEST_F(Walk, on_power_an_innermost_frame_without_a_table_has_no_caller_that_is_in_doubt) {
    code.rules = {{callee_code, {}}, {jit_code, {}}, {main_code, power_rule(32)}};
    registers.by_number[unwind_ppc64.link_register] = jit_code + 4;
    words = {stack_start + 32,
             0,
             jit_code + 8,
             0,
             stack_start + 64,
             0,
             jit_code + 12,
             0,
             0,
             0,
             main_code + 4,
             0,
             0,
             0,
             0,
             0};
    EXPECT_EQ(run(unwind_ppc64), StackEnd::frame_pointers) << "a caller is left out";
    EXPECT_EQ(pcs(), (std::vector<uint64_t>{callee_code + 0x10, main_code + 4}));
}

TEST_F(Walk, on_power_a_damaged_back_chain_ends_the_stack) {
    code.rules = {{callee_code, {.cfa = CfaFrom::sp}}, {jit_code, {}}};
    registers.by_number[unwind_ppc64.link_register] = jit_code + 4;
    const auto end_with = [&](uint64_t chain) {
        words = {chain, 0, jit_code + 8, 0};
        return run(unwind_ppc64);
    };
    EXPECT_EQ(end_with(stack_start), StackEnd::no_progress);
    EXPECT_EQ(end_with(stack_start + 8), StackEnd::no_info);
    EXPECT_EQ(end_with(stack_start - 16), StackEnd::stack_switch);
    EXPECT_EQ(end_with(stack_start + (uint64_t{1} << 40)), StackEnd::stack_switch);
    EXPECT_EQ(end_with(stack_start + 32), StackEnd::dump_short);
    EXPECT_EQ(frames.size(), 2u);
}

TEST_F(Walk, on_power_functions_without_a_frame_may_call_others) {
    code.rules = {{callee_code, power_rule(32)},
                  {jit_code, {.cfa = CfaFrom::sp, .ra = SavedAt::cfa, .cfa_offset = 0, .ra_offset = 8}},
                  {main_code, power_rule(32)}};
    words = {stack_start + 32, 0, 0, 0, stack_start + 64, main_code + 4, jit_code + 4, 0, 0, 0, 0, 0};
    EXPECT_EQ(run(unwind_ppc64), StackEnd::root);
    EXPECT_EQ(pcs(), (std::vector<uint64_t>{callee_code + 0x10, jit_code + 4, main_code + 4}));
    // One that is its own caller has no end.
    words[5] = jit_code + 4;
    EXPECT_EQ(run(unwind_ppc64), StackEnd::no_progress);
    EXPECT_EQ(frames.size(), 3u);
}

TEST_F(Walk, on_power_a_signal_frame_has_the_registers) {
    constexpr uint64_t pointer = 352, saved = pointer + 8, interrupted_sp = stack_start + 0x400;
    code.rules = {{callee_code, {.cfa = CfaFrom::sp, .is_signal_frame = true}},
                  {jit_code, {.cfa = CfaFrom::sp}},
                  {main_code, power_rule(32)}};
    // The code that the handler returns to has removed the frame below the registers, or not yet.
    for (const uint64_t removed : {0, 128}) {
        const auto set = [&](uint64_t offset, uint64_t value) { words[(offset - removed) / 8] = value; };
        words.assign(0x800 / 8, 0);
        set(pointer, stack_start - removed + saved);
        set(saved + 8, interrupted_sp);
        set(saved + 32 * 8, jit_code + 4);
        set(saved + 36 * 8, main_code + 4);
        EXPECT_EQ(run(unwind_ppc64), StackEnd::root);
        EXPECT_EQ(pcs(), (std::vector<uint64_t>{callee_code + 0x10, jit_code + 4, main_code + 4}));
        EXPECT_TRUE(frames[1].is_exact);
    }
    words.assign(0x800 / 8, 0);
    EXPECT_EQ(run(unwind_ppc64), StackEnd::unsupported);
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

TEST_F(Walk, of_a_32_bit_program_whose_register_is_no_frame_pointer_asks_for_no_larger_copy) {
    code.rules = {{callee_code, {}}};
    const std::vector<std::byte> bytes(64);
    registers.by_number[unwind_x86_64.stack_pointer] = stack_start;
    const Unwinder unwinder(unwind_x86_64);
    registers.by_number[unwind_x86_64.frame_pointer] = 0xf0000000;
    EXPECT_EQ(unwinder.walk_32_bit(registers, {bytes, stack_start, bytes.size()}, code, frames),
              StackEnd::no_info);
    registers.by_number[unwind_x86_64.frame_pointer] = stack_start + 64;
    EXPECT_EQ(unwinder.walk_32_bit(registers, {bytes, stack_start, bytes.size(), true}, code, frames),
              StackEnd::no_info)
        << "a whole stack has nothing beyond";
    EXPECT_EQ(unwinder.walk_32_bit(registers, {bytes, stack_start, bytes.size()}, code, frames),
              StackEnd::dump_short);
    EXPECT_EQ(unwinder.walk_32_bit(registers, {bytes, stack_start, 128}, code, frames),
              StackEnd::page_absent);
}

}  // namespace op::collect
