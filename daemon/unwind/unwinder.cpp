// SPDX-License-Identifier: GPL-2.0-or-later
// The walk: one rule, or one frame pointer, a frame.
#include "daemon/unwind/unwinder.h"

#include <optional>

namespace op::collect {

namespace {

/// Bits of an address of user code; the others hold its signature where pointers are signed (Arm Architecture
/// Reference Manual, "Pointer authentication"; Linux gives user space 48 bits unless asked for 52).
constexpr uint64_t signed_address_bits = (uint64_t{1} << 48) - 1;
constexpr uint64_t word_size = sizeof(uint64_t);

}  // namespace

/// Where a walk has got to.
struct Unwinder::Cursor {
    const UnwindMachine& machine;
    const UserRegisters& registers;
    const StackMemory& stack;
    uint64_t pc, sp, fp;
    uint64_t link = 0;  ///< the return address that is in a register, where `has_link`
    bool has_link = false;
    bool is_innermost = true;
    bool is_exact = true;           ///< pc is no return address
    StackEnd end = StackEnd::root;  ///< valid once a step has failed

    bool stop(StackEnd why) {
        end = why;
        return false;
    }
    /// Why a word is not in the copy.
    bool stop_outside(uint64_t address) {
        const uint64_t past = address - stack.start();
        if (!stack.is_whole() && past >= stack.size() && past < 2 * stack.size() + (1 << 16))
            return stop(stack.is_full() ? StackEnd::dump_short : StackEnd::page_absent);
        return stop(StackEnd::stack_switch);
    }
    bool read(uint64_t address, uint64_t& value) {
        const auto word = stack.word(address);
        if (!word) return stop_outside(address);
        value = *word;
        return true;
    }
    uint64_t code_address(uint64_t value) const {
        return machine.has_link_register ? value & signed_address_bits : value;
    }

    bool follow(const UnwindRule& rule);
    bool follow_arm_signal();
    bool follow_frame_pointer();
    bool find_start(CodeFinder& code);
    bool find_cfa(const UnwindRule& rule, uint64_t& cfa);
    bool find_return(const UnwindRule& rule, uint64_t cfa, uint64_t& address);
    bool find_fp(const UnwindRule& rule, uint64_t cfa, uint64_t& value);
    bool move(uint64_t new_pc, uint64_t new_sp, uint64_t new_fp);
};

bool Unwinder::Cursor::find_cfa(const UnwindRule& rule, uint64_t& cfa) {
    const auto offset = static_cast<uint64_t>(static_cast<int64_t>(rule.cfa_offset));
    const auto addend = static_cast<uint64_t>(static_cast<int64_t>(rule.cfa_addend));
    switch (rule.cfa) {
        case CfaFrom::sp:
            cfa = sp + offset;
            return true;
        case CfaFrom::fp:
            cfa = fp + offset;
            return true;
        case CfaFrom::sp_memory:
        case CfaFrom::fp_memory:
            if (!read((rule.cfa == CfaFrom::sp_memory ? sp : fp) + offset, cfa)) return false;
            cfa += addend;
            return true;
        case CfaFrom::other:
            if (!is_innermost) return stop(StackEnd::unsupported);
            cfa = registers.by_number[addend % unwind_registers] + offset;
            return true;
        case CfaFrom::plt:
            cfa = sp + word_size + ((pc & 15) >= offset ? word_size : 0);
            return true;
        default:
            return stop(StackEnd::unsupported);
    }
}

bool Unwinder::Cursor::find_return(const UnwindRule& rule, uint64_t cfa, uint64_t& address) {
    const auto offset = static_cast<uint64_t>(static_cast<int64_t>(rule.ra_offset));
    switch (rule.ra) {
        case SavedAt::cfa:
            return read(cfa + offset, address);
        case SavedAt::sp:
            return read(sp + offset, address);
        case SavedAt::other:
            if (!is_innermost) return stop(StackEnd::unsupported);
            address = registers.by_number[offset % unwind_registers];
            has_link = true;  // the frame may be empty, as vfork's is
            return true;
        case SavedAt::same:
            address = link;
            return has_link || stop(StackEnd::no_progress);
        default:
            return stop(StackEnd::root);
    }
}

bool Unwinder::Cursor::find_fp(const UnwindRule& rule, uint64_t cfa, uint64_t& value) {
    const auto offset = static_cast<uint64_t>(static_cast<int64_t>(rule.fp_offset));
    if (rule.fp != SavedAt::cfa && rule.fp != SavedAt::sp) return true;
    const uint64_t address = (rule.fp == SavedAt::cfa ? cfa : sp) + offset;
    if (address < sp) return true;  // popped already: an epilogue
    return read(address, value);
}

bool Unwinder::Cursor::move(uint64_t new_pc, uint64_t new_sp, uint64_t new_fp) {
    new_pc = code_address(new_pc);
    if (new_pc == 0) return stop(StackEnd::root);
    if (new_sp < sp || (new_sp == sp && !has_link)) return stop(StackEnd::no_progress);
    pc = new_pc;
    sp = new_sp;
    fp = new_fp;
    is_innermost = is_exact = has_link = false;
    return true;
}

/// The registers are in the frame itself: struct rt_sigframe of Linux for arm64, uapi asm/sigcontext.h. Its
/// call frame information leads to the caller of the function that was interrupted instead.
bool Unwinder::Cursor::follow_arm_signal() {
    constexpr uint64_t saved_fp = 544, saved_link = 552, saved_sp = 560, saved_pc = 568;
    uint64_t new_pc = 0, new_sp = 0, new_fp = 0, new_link = 0;
    if (!read(sp + saved_pc, new_pc) || !read(sp + saved_sp, new_sp) || !read(sp + saved_fp, new_fp) ||
        !read(sp + saved_link, new_link) || !move(new_pc, new_sp, new_fp))
        return false;
    link = new_link;
    is_exact = has_link = true;
    return true;
}

bool Unwinder::Cursor::follow(const UnwindRule& rule) {
    if (rule.ra == SavedAt::undefined) return stop(StackEnd::root);
    if (rule.is_signal_frame && machine.has_link_register) return follow_arm_signal();
    uint64_t cfa = 0, caller = 0, caller_fp = fp;
    if (!find_cfa(rule, cfa)) return false;
    if (cfa < sp) return stop(StackEnd::stack_switch);
    if (!find_return(rule, cfa, caller) || !find_fp(rule, cfa, caller_fp)) return false;
    if (!move(caller, cfa, caller_fp)) return false;
    is_exact = rule.is_signal_frame;
    return true;
}

/// {caller's frame pointer, return address} at the frame pointer, which both machines' compilers keep.
bool Unwinder::Cursor::follow_frame_pointer() {
    if (fp == 0) return stop(StackEnd::root);
    if (fp < sp || fp % word_size != 0) return stop(StackEnd::no_info);
    uint64_t caller_fp = 0, caller = 0;
    if (!read(fp, caller_fp) || !read(fp + word_size, caller)) {
        if (end == StackEnd::stack_switch) end = StackEnd::no_info;  // it was no frame pointer
        return false;
    }
    return move(caller, fp + 2 * word_size, caller_fp);
}

/// The outermost frame, if what it called has neither a table nor a frame pointer: so does musl start main.
/// That frame is small, and there is no other reason for an address in the start to be on a stack.
bool Unwinder::Cursor::find_start(CodeFinder& code) {
    constexpr uint64_t most_words = 16;
    for (uint64_t i = 0; i < most_words; ++i) {
        const auto word = stack.word(sp + i * word_size);
        if (!word) return false;
        const uint64_t address = code_address(*word);
        if (address != 0 && code.find({address - 1}).rule.ra == SavedAt::undefined)
            return move(address, sp + (i + 1) * word_size, 0);
    }
    return false;
}

StackEnd Unwinder::walk(const UserRegisters& registers, const StackMemory& stack, CodeFinder& code,
                        std::vector<WalkedFrame>& frames) {
    frames.clear();
    Cursor at{machine_,
              registers,
              stack,
              registers.pc.value(),
              registers.by_number[machine_.stack_pointer],
              registers.by_number[machine_.frame_pointer],
              registers.by_number[machine_.return_address],
              machine_.has_link_register};
    while (frames.size() < deepest) {
        const CodePlace place = code.find({at.is_exact ? at.pc : at.pc - 1});
        if (!place.is_code && !at.is_innermost) return StackEnd::no_mapping;
        // The code that a handler returns to was never called: no instruction lies before it.
        frames.push_back({{at.pc}, at.is_exact || place.rule.is_signal_frame});
        const bool has_rule = place.rule.cfa != CfaFrom::no_info;
        if (has_rule ? at.follow(place.rule) : at.follow_frame_pointer()) continue;
        if (has_rule || at.end != StackEnd::no_info || !at.find_start(code)) return at.end;
    }
    return StackEnd::too_deep;
}

StackEnd Unwinder::walk_32_bit(const UserRegisters& registers, const StackMemory& stack, CodeFinder& code,
                               std::vector<WalkedFrame>& frames) const {
    frames.clear();
    auto pc = static_cast<uint32_t>(registers.pc.value());
    auto low = static_cast<uint32_t>(registers.by_number[machine_.stack_pointer]);
    auto fp = static_cast<uint32_t>(registers.by_number[machine_.frame_pointer]);
    while (frames.size() < deepest) {
        const bool is_innermost = frames.empty();
        if (!code.find({is_innermost ? pc : pc - 1}).is_code && !is_innermost) return StackEnd::no_mapping;
        frames.push_back({{pc}, is_innermost});
        if (fp == 0) return StackEnd::frame_pointers;
        if (fp < low || fp % sizeof fp != 0) return StackEnd::no_info;
        const auto caller_fp = stack.word<uint32_t>(fp), caller = stack.word<uint32_t>(fp + sizeof fp);
        if (!caller_fp || !caller) return stack.is_full() ? StackEnd::dump_short : StackEnd::page_absent;
        low = fp + 2 * sizeof fp;
        pc = *caller;
        fp = *caller_fp;
    }
    return StackEnd::too_deep;
}

}  // namespace op::collect
