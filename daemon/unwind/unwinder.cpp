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
constexpr uint8_t no_register = 0xff;
/// Where a caller's frame has the return address: ELF V2 ABI for POWER, section 2.2.2.2.
constexpr int32_t link_save = 16;

/// RLIMIT_STACK as Linux begins with it: of most programs' stacks, their threads' too.
constexpr uint64_t usual_stack_limit = uint64_t{8} << 20;

/// Bytes from the copy's start in which an address that may be of another stack, or of none, is of this one.
uint64_t guessed_reach(const StackMemory& stack) {
    return 2 * stack.size() + (1 << 16);
}

/// Why a word is not in the copy. Beyond `reach` bytes from the copy's start it is not of this stack.
StackEnd outside(const StackMemory& stack, uint64_t address, uint64_t reach) {
    const uint64_t past = address - stack.start();
    if (!stack.is_whole() && past >= stack.size() && past < reach)
        return stack.is_full() ? StackEnd::dump_short : StackEnd::page_absent;
    return StackEnd::stack_switch;
}

/// The same where a frame pointer leads: one that leads to another stack was none.
StackEnd outside_by_frame_pointer(const StackMemory& stack, uint64_t address) {
    const StackEnd end = outside(stack, address, guessed_reach(stack));
    return end == StackEnd::stack_switch ? StackEnd::no_info : end;
}

/// True if a word may be a return address.
bool is_return_address(CodeFinder& code, uint64_t word) {
    return code.find({word - 1}).is_code && !code.is_after_no_call({word});
}

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
    bool is_exact = true;            ///< pc is no return address
    StackEnd end = StackEnd::root;   ///< valid once a step has failed
    bool has_signal = false;         ///< a signal frame was followed
    bool has_gap = false;            ///< frames were left out
    bool has_stayed = false;         ///< the stack pointer was also that of the frame before
    uint64_t kept_sp = 0;            ///< the stack pointer by a word that interpreters keep; 0 = none
    uint64_t reach = 0;              ///< for outside()
    uint8_t wanted = no_register;    ///< a register that a frame needed and that is not known
    uint8_t followed = no_register;  ///< a register that is kept up with the frames
    std::optional<uint64_t> followed_value = {};

    bool stop(StackEnd why) {
        end = why;
        return false;
    }
    bool read(uint64_t address, uint64_t& value) {
        const auto word = stack.word(address);
        if (!word) return stop(outside(stack, address, reach));
        value = *word;
        return true;
    }
    uint64_t code_address(uint64_t value) const {
        return machine.has_link_register && !machine.has_back_chain ? value & signed_address_bits : value;
    }

    RuntimeAddress looked_up() const { return {is_exact ? pc : pc - 1}; }
    bool find_other(int32_t number, uint64_t& value);

    bool follow(const UnwindRule& rule, CodeFinder& code);
    void follow_register(CodeFinder& code, uint64_t cfa);
    bool follow_signal();
    bool follow_arm_signal();
    bool follow_power_signal();
    bool follow_frame_pointer();
    bool is_return_address_at(CodeFinder& code, uint64_t at) const;
    bool has_frame(CodeFinder& code) const;
    bool read_back_chain(uint64_t& caller_sp);
    bool follow_back_chain();
    bool follow_past_caller();
    bool go_to_caller(const UnwindRule& rule, CodeFinder& code);
    bool find_start(CodeFinder& code);
    UnwindRule rule_by_code(CodeFinder& code) const;
    UnwindRule rule_by_call(CodeFinder& code) const;
    bool find_by_entry(CodeFinder& code, UnwindRule& rule);
    bool read_rule(CodeFinder& code, CodePlace& place);
    bool find_cfa(const UnwindRule& rule, uint64_t& cfa);
    bool find_return(const UnwindRule& rule, uint64_t cfa, uint64_t& address);
    uint64_t kept_at(const UnwindRule& rule, uint64_t cfa) const;
    bool find_fp(const UnwindRule& rule, uint64_t cfa, uint64_t& value);
    void set_reach(const UnwindRule& rule);
    bool move(uint64_t new_pc, uint64_t new_sp, uint64_t new_fp);
};

/// A register that is neither the stack's nor the frame's pointer.
bool Unwinder::Cursor::find_other(int32_t number, uint64_t& value) {
    const auto which = static_cast<uint8_t>(static_cast<uint32_t>(number) % unwind_registers);
    if (!is_innermost && (which != followed || !followed_value)) {
        wanted = which;
        return stop(StackEnd::unsupported);
    }
    value = is_innermost ? registers.by_number[which] : *followed_value;
    return true;
}

bool Unwinder::Cursor::find_cfa(const UnwindRule& rule, uint64_t& cfa) {
    const auto offset = static_cast<uint64_t>(static_cast<int64_t>(rule.cfa_offset));
    const auto addend = static_cast<uint64_t>(static_cast<int64_t>(rule.cfa_addend));
    if (machine.has_back_chain && rule.cfa == CfaFrom::other) return read_back_chain(cfa);
    switch (rule.cfa) {
        case CfaFrom::sp:
            cfa = sp + offset;
            return true;
        case CfaFrom::fp:
            cfa = fp + offset;
            return true;
        case CfaFrom::sp_memory:
            if (rule.cfa_offset < 0) return stop(StackEnd::unsupported);  // below what is copied
            [[fallthrough]];
        case CfaFrom::fp_memory:
            if (!read((rule.cfa == CfaFrom::sp_memory ? sp : fp) + offset, cfa)) return false;
            cfa += addend;
            return true;
        case CfaFrom::other:
            if (!find_other(rule.cfa_addend, cfa)) return false;
            cfa += offset;
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

/// Where a rule's `fp` is in memory; 0 if it is in no memory, or was popped already: in an epilogue.
uint64_t Unwinder::Cursor::kept_at(const UnwindRule& rule, uint64_t cfa) const {
    auto address = static_cast<uint64_t>(int64_t{rule.fp_offset});
    switch (rule.fp) {
        case SavedAt::cfa:
            address += cfa;
            break;
        case SavedAt::sp:
            address += sp;
            break;
        case SavedAt::fp:
            address += fp;
            if (address >= cfa) return 0;
            break;
        default:
            return 0;
    }
    return address < sp ? 0 : address;
}

/// A rule relative to the frame pointer leads nowhere at a function's end, where the register is the caller's
/// again. A function that has called another is not at its end.
bool Unwinder::Cursor::find_fp(const UnwindRule& rule, uint64_t cfa, uint64_t& value) {
    const uint64_t address = kept_at(rule, cfa);
    if (address != 0) return read(address, value);
    return is_exact || rule.fp != SavedAt::fp || stop(StackEnd::unsupported);
}

bool Unwinder::Cursor::move(uint64_t new_pc, uint64_t new_sp, uint64_t new_fp) {
    new_pc = code_address(new_pc);
    if (new_pc == 0) return stop(StackEnd::root);
    // On POWER a function may call the vDSO, or a linker's stub __tls_get_addr, without a frame of its own.
    const bool may_stay = has_link || (machine.has_back_chain && !has_stayed);
    if (new_sp < sp || (new_sp == sp && !may_stay)) return stop(StackEnd::no_progress);
    has_stayed = new_sp == sp && !has_link;
    pc = new_pc;
    sp = new_sp;
    fp = new_fp;
    kept_sp = 0;
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

/// The registers are in struct rt_sigframe of Linux for 64-bit POWER, uapi asm/ucontext.h and
/// asm/sigcontext.h, above a smallest frame, which the code that a handler returns to removes first.
bool Unwinder::Cursor::follow_power_signal() {
    constexpr uint64_t smallest_frame = 128, pointer = smallest_frame + 168 + 56, saved = pointer + word_size;
    constexpr uint64_t saved_sp = saved + word_size, saved_pc = saved + 32 * word_size,
                       saved_link = saved + 36 * word_size;
    uint64_t at = sp, to_saved = 0, new_pc = 0, new_sp = 0;
    if (stack.word(at - smallest_frame + pointer) == at - smallest_frame + saved) at -= smallest_frame;
    if (!read(at + pointer, to_saved)) return false;
    if (to_saved != at + saved) return stop(StackEnd::unsupported);
    if (!read(at + saved_link, link) || !read(at + saved_pc, new_pc) || !read(at + saved_sp, new_sp))
        return false;
    if (new_sp < sp) return stop(StackEnd::stack_switch);
    if (!move(new_pc, new_sp, fp)) return false;
    is_exact = has_link = true;
    return true;
}

bool Unwinder::Cursor::follow_signal() {
    return machine.has_back_chain ? follow_power_signal() : follow_arm_signal();
}

/// Makes the followed register the caller's. One that functions need not save is the caller's in the
/// innermost function alone: hand-written code has subroutines that leave it as it is.
void Unwinder::Cursor::follow_register(CodeFinder& code, uint64_t cfa) {
    if (followed == no_register || !followed_value) return;
    if (!machine.is_saved(followed) && !is_innermost) return followed_value.reset();
    const UnwindRule rule = code.find_register(looked_up(), followed);
    const bool is_known = rule.cfa != CfaFrom::no_info && rule.cfa != CfaFrom::unsupported;
    if (!is_known || rule.fp == SavedAt::other || rule.fp == SavedAt::undefined)
        followed_value.reset();
    else if (const uint64_t address = kept_at(rule, cfa); address != 0)
        followed_value = stack.word(address);
}

/// A constant distance from the stack pointer does not lead to another stack, and by any other register a
/// frame that is no larger than most stacks may be. What a handler interrupted may have run on another stack.
void Unwinder::Cursor::set_reach(const UnwindRule& rule) {
    const bool is_on_copy = !has_signal || sp - stack.start() < stack.size();
    has_signal |= rule.is_signal_frame;
    if (rule.is_signal_frame || !is_on_copy)
        reach = guessed_reach(stack);
    else
        reach = rule.cfa == CfaFrom::sp || rule.cfa == CfaFrom::plt ? uint64_t{1} << 32 : usual_stack_limit;
}

bool Unwinder::Cursor::follow(const UnwindRule& rule, CodeFinder& code) {
    if (rule.ra == SavedAt::undefined) return stop(StackEnd::root);
    set_reach(rule);
    if (rule.is_signal_frame && machine.has_link_register) return follow_signal();
    uint64_t cfa = 0, caller = 0, caller_fp = fp;
    if (!find_cfa(rule, cfa)) return false;
    if (cfa < sp) return stop(StackEnd::stack_switch);
    if (!find_return(rule, cfa, caller)) return false;
    if (rule.fp != SavedAt::same && !find_fp(rule, cfa, caller_fp)) return false;
    const bool is_guess = rule.cfa == CfaFrom::other && !is_innermost && !machine.is_saved(followed);
    if (is_guess && !is_return_address(code, caller)) return stop(StackEnd::unsupported);
    follow_register(code, cfa);
    if (!move(caller, cfa, caller_fp)) return false;
    is_exact = rule.is_signal_frame;
    return true;
}

/// {caller's frame pointer, return address} at the frame pointer, which both machines' compilers keep. A
/// stack's start clears it. In the innermost function, or beside a return address of 0, that shows
/// nothing: the function may use the register for data.
bool Unwinder::Cursor::follow_frame_pointer() {
    if (fp == 0) return stop(is_innermost ? StackEnd::no_info : StackEnd::root);
    if (fp < sp || fp % word_size != 0) return stop(StackEnd::no_info);
    const auto caller_fp = stack.word(fp), caller = stack.word(fp + word_size);
    if (!caller_fp || !caller) return stop(outside_by_frame_pointer(stack, fp + (caller_fp ? word_size : 0)));
    if (code_address(*caller) == 0) return stop(StackEnd::no_info);
    followed_value.reset();
    constexpr uint64_t most_locals = 1 << 16;
    const uint64_t frame_end = fp + 2 * word_size, kept = stack.word(fp - word_size).value_or(0);
    if (!move(*caller, frame_end, *caller_fp)) return false;
    if (kept > frame_end && kept - frame_end <= most_locals && kept % word_size == 0) kept_sp = kept;
    return true;
}

bool Unwinder::Cursor::read_back_chain(uint64_t& caller_sp) {
    constexpr uint64_t alignment = 16;
    set_reach({.cfa = CfaFrom::other});
    if (!read(sp, caller_sp)) return false;
    if (caller_sp == 0) return stop(StackEnd::root);
    if (caller_sp % alignment != 0) return stop(StackEnd::no_info);
    if (caller_sp == sp) return stop(StackEnd::no_progress);
    return caller_sp > sp || stop(StackEnd::stack_switch);
}

/// Of a function that has called another one: before it did, it put both words there.
bool Unwinder::Cursor::follow_back_chain() {
    uint64_t caller_sp = 0, caller = 0;
    return read_back_chain(caller_sp) && read(caller_sp + link_save, caller) && move(caller, caller_sp, fp);
}

/// Of a function that may not have, and has no table. The back chain may be its own or that of its caller's
/// frame, and its return address in the register or in the caller's frame. The frame after that is certain,
/// at the cost of one or two callers.
bool Unwinder::Cursor::follow_past_caller() {
    uint64_t caller_sp = 0;
    has_gap = true;
    if (!read_back_chain(caller_sp)) return false;
    sp = caller_sp;
    return follow_back_chain();
}

bool Unwinder::Cursor::go_to_caller(const UnwindRule& rule, CodeFinder& code) {
    const bool has_rule = rule.cfa != CfaFrom::no_info, was_called = !is_exact;
    if (!machine.has_back_chain) return has_rule ? follow(rule, code) : follow_frame_pointer();
    if (has_rule && follow(rule, code)) return true;
    const bool is_open = end == StackEnd::unsupported || rule.ra == SavedAt::same;
    if (has_rule && (!was_called || !is_open)) return false;
    return was_called ? follow_back_chain() : follow_past_caller();
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

/// True if the word at a place on the stack may be a return address, or is not in the copy.
bool Unwinder::Cursor::is_return_address_at(CodeFinder& code, uint64_t at) const {
    const auto caller = stack.word(at);
    return !caller || is_return_address(code, *caller);
}

/// False if the frame pointer leads to no return address: run-time code may use the register for data.
bool Unwinder::Cursor::has_frame(CodeFinder& code) const {
    if (machine.has_back_chain) return true;
    return fp != 0 && (machine.has_link_register || is_return_address_at(code, fp + word_size));
}

/// The rule that the instructions show, if a call ends before the return address that it leads to.
UnwindRule Unwinder::Cursor::rule_by_code(CodeFinder& code) const {
    const UnwindRule rule = code.read_code({pc});
    if (rule.cfa != CfaFrom::sp || rule.ra != SavedAt::cfa) return rule;
    const auto offset = static_cast<uint64_t>(int64_t{rule.cfa_offset} + rule.ra_offset);
    return is_return_address_at(code, sp + offset) ? rule : UnwindRule{};
}

/// The rule of code that has pushed nothing: the stack begins with the return address of a call that leads
/// there.
UnwindRule Unwinder::Cursor::rule_by_call(CodeFinder& code) const {
    constexpr auto word = static_cast<int32_t>(word_size);
    const auto caller = stack.word(sp);
    if (machine.has_link_register || !caller || !code.find({*caller - 1}).is_code) return {};
    if (!code.is_entered_by({*caller}, {pc})) return {};
    return {.cfa = CfaFrom::sp, .ra = SavedAt::cfa, .cfa_offset = word, .ra_offset = -word};
}

/// The rule that the function's entry shows, if there is one. False if it leads to no return address. What
/// called an interpreter has its frame at the stack pointer that the interpreter keeps: between that and the
/// interpreter's own frame are variables. The innermost function may have pushed a word or two.
bool Unwinder::Cursor::find_by_entry(CodeFinder& code, UnwindRule& rule) {
    rule = code.find_by_entry(looked_up());
    if (rule.cfa != CfaFrom::sp) return true;
    constexpr auto word = static_cast<int32_t>(word_size), most_pushed = 2 * word;
    const auto place = [&rule](uint64_t from) {
        return from + static_cast<uint64_t>(int64_t{rule.cfa_offset} + rule.ra_offset);
    };
    if (kept_sp != 0 && is_return_address_at(code, place(kept_sp))) sp = kept_sp;
    for (int32_t pushed = 0; pushed <= (is_innermost ? most_pushed : 0); pushed += word) {
        if (is_return_address_at(code, place(sp))) return true;
        rule.cfa_offset += word;
    }
    return false;
}

/// Finds the rule of code without a table; it has none if the frame pointer is all there is. False if there
/// is not even that.
bool Unwinder::Cursor::read_rule(CodeFinder& code, CodePlace& place) {
    UnwindRule& rule = place.rule;
    if (is_exact) rule = rule_by_code(code);
    if (rule.cfa != CfaFrom::no_info || !place.is_run_time) return true;
    if (is_exact) rule = rule_by_call(code);
    if (rule.cfa != CfaFrom::no_info) return true;
    return find_by_entry(code, rule) && (rule.cfa != CfaFrom::no_info || has_frame(code));
}

StackEnd Unwinder::walk(Cursor& at, CodeFinder& code, std::vector<WalkedFrame>& frames) const {
    frames.clear();
    // The frame before is a function that nobody called: the program put its start on the stack. It may have
    // a caller, but not where there is no code.
    bool is_made = false;
    while (frames.size() < deepest) {
        CodePlace place = code.find(at.looked_up());
        if (!place.is_code && !at.is_innermost) return is_made ? StackEnd::root : StackEnd::no_mapping;
        is_made = place.is_before_start && !at.is_exact;
        if (is_made) {
            at.is_exact = true;
            place = code.find(at.looked_up());
        }
        // The code that a handler returns to was never called: no instruction lies before it.
        frames.push_back({{at.pc}, at.is_exact || place.rule.is_signal_frame});
        if (place.rule.cfa == CfaFrom::no_info && !at.read_rule(code, place)) return StackEnd::no_info;
        const bool has_rule = place.rule.cfa != CfaFrom::no_info;
        if (at.go_to_caller(place.rule, code)) continue;
        if (is_made && at.end == StackEnd::no_progress) return StackEnd::root;
        const bool may_be_started = !has_rule && !place.is_run_time && at.end == StackEnd::no_info;
        if (!may_be_started || !at.find_start(code)) return at.end;
    }
    return StackEnd::too_deep;
}

StackEnd Unwinder::walk(const UserRegisters& registers, const StackMemory& stack, CodeFinder& code,
                        std::vector<WalkedFrame>& frames) {
    const Cursor start{machine_,
                       registers,
                       stack,
                       registers.pc.value(),
                       registers.by_number[machine_.stack_pointer],
                       machine_.has_back_chain ? 0 : registers.by_number[machine_.frame_pointer],
                       registers.by_number[machine_.link_register],
                       machine_.has_link_register};
    Cursor at = start;
    const StackEnd end = walk(at, code, frames);
    if (end == StackEnd::root && at.has_gap) return StackEnd::frame_pointers;
    const bool is_of_caller = frames.size() == 2;
    if (end != StackEnd::unsupported || at.wanted == no_register) return end;
    if (!machine_.is_saved(at.wanted) && !is_of_caller) return end;
    // Once more, with that register: too rare for every row to have it.
    Cursor again = start;
    again.followed = at.wanted;
    again.followed_value = registers.by_number[at.wanted];
    return walk(again, code, frames);
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
        if (!caller_fp || !caller) return outside_by_frame_pointer(stack, caller_fp ? fp + sizeof fp : fp);
        low = fp + 2 * sizeof fp;
        pc = *caller;
        fp = *caller_fp;
    }
    return StackEnd::too_deep;
}

}  // namespace op::collect
