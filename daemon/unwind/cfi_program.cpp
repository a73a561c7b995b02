// SPDX-License-Identifier: GPL-2.0-or-later
// Call frame instructions; their numbers are those of DWARF 5, section 7.24, and of the GNU extensions.
#include "daemon/unwind/cfi_program.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "daemon/unwind/cfi_bytes.h"
#include "libop/base/error.h"
#include "libop/stream/user_stack.h"

namespace op::collect {

namespace {

enum Opcode : uint8_t {
    cfa_nop = 0x00,
    cfa_set_loc = 0x01,
    cfa_advance_loc1 = 0x02,
    cfa_advance_loc2 = 0x03,
    cfa_advance_loc4 = 0x04,
    cfa_offset_extended = 0x05,
    cfa_restore_extended = 0x06,
    cfa_undefined = 0x07,
    cfa_same_value = 0x08,
    cfa_register = 0x09,
    cfa_remember_state = 0x0a,
    cfa_restore_state = 0x0b,
    cfa_def_cfa = 0x0c,
    cfa_def_cfa_register = 0x0d,
    cfa_def_cfa_offset = 0x0e,
    cfa_def_cfa_expression = 0x0f,
    cfa_expression = 0x10,
    cfa_offset_extended_sf = 0x11,
    cfa_def_cfa_sf = 0x12,
    cfa_def_cfa_offset_sf = 0x13,
    cfa_val_offset = 0x14,
    cfa_val_offset_sf = 0x15,
    cfa_val_expression = 0x16,
    cfa_negate_ra_state_with_pc = 0x2c,  // Arm
    cfa_negate_ra_state = 0x2d,          // Arm; signatures are masked wherever they are
    cfa_gnu_args_size = 0x2e,
    cfa_gnu_negative_offset_extended = 0x2f,
    // The two high bits alone; the others are an operand.
    cfa_advance_loc = 0x40,
    cfa_offset = 0x80,
    cfa_restore = 0xc0,
};

/// Registers with higher numbers are not in samples.
constexpr uint64_t last_register = unwind_registers - 1;

// Operations of expressions: DWARF 5, section 7.7.1.
constexpr uint8_t op_deref = 0x06, op_plus_uconst = 0x23, op_breg0 = 0x70;

std::span<const std::byte> take_block(ByteReader& in) {
    return in.take(read_uleb(in));
}

bool fits(int64_t n) {
    return n >= std::numeric_limits<int32_t>::min() && n <= std::numeric_limits<int32_t>::max();
}

/// `breg offset`, at most followed by `deref` and `plus_uconst addend`.
struct Indirect {
    uint64_t reg = 0;
    int64_t offset = 0, addend = 0;
    bool is_memory = false;
};

/// None if the expression has another form. Throws an input error if it is cut off.
bool read_indirect(std::span<const std::byte> expression, Indirect& out) {
    ByteReader in(expression, "call frame expression");
    if (in.done()) return false;
    const auto first = in.get<uint8_t>();
    if (first < op_breg0 || first > op_breg0 + 31) return false;
    out = {static_cast<uint64_t>(first - op_breg0), read_sleb(in)};
    if (in.done()) return true;
    if (in.get<uint8_t>() != op_deref) return false;
    out.is_memory = true;
    if (in.done()) return true;
    if (in.get<uint8_t>() != op_plus_uconst) return false;
    out.addend = static_cast<int64_t>(read_uleb(in));
    return in.done();
}

/// rsp + 8 + ((rip & 15) >= N ? 8 : 0), which linkers write for x86-64 procedure linkage tables.
constexpr uint8_t plt_expression[] = {0x77, 0x08, 0x80, 0x00, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22};
constexpr size_t plt_threshold_at = 6;
constexpr uint8_t op_lit0 = 0x30;

/// N, or 0 if it is another expression.
int64_t plt_threshold(std::span<const std::byte> expression) {
    if (expression.size() != std::size(plt_expression)) return 0;
    for (size_t i = 0; i < expression.size(); ++i)
        if (i != plt_threshold_at && std::to_integer<uint8_t>(expression[i]) != plt_expression[i]) return 0;
    const auto literal = std::to_integer<uint8_t>(expression[plt_threshold_at]);
    return literal > op_lit0 && literal <= op_lit0 + 15 ? literal - op_lit0 : 0;
}

}  // namespace

void CfiProgram::begin(LinkAddress start, LinkAddress end) {
    at_ = start;
    end_ = end;
    first_row_ = rows_.size();
}

void CfiProgram::set_alignment(uint64_t code, int64_t data, bool is_signal_frame) {
    code_align_ = code;
    data_align_ = data;
    is_signal_frame_ = is_signal_frame;
}

void CfiProgram::run(ByteReader in, uint8_t encoding, LinkAddress address) {
    while (!in.done() && at_ < end_)
        run_one(in, in.get<uint8_t>(), encoding, address);
}

void CfiProgram::run_one(ByteReader& in, uint8_t opcode, uint8_t encoding, LinkAddress address) {
    const uint8_t operand = opcode & 0x3f;
    switch (opcode & 0xc0) {
        case cfa_advance_loc:
            return advance(operand);
        case cfa_offset:
            return set_saved(operand, SavedAt::cfa, factored(read_uleb(in)));
        case cfa_restore:
            return set_same_as_initial(operand);
        default:
            break;
    }
    switch (opcode) {
        case cfa_nop:
        case cfa_negate_ra_state:
        case cfa_negate_ra_state_with_pc:
            return;
        case cfa_set_loc: {
            const LinkAddress here = address + in.position();
            return advance_to(read_encoded(in, encoding, here.value()));
        }
        case cfa_advance_loc1:
            return advance(in.get<uint8_t>());
        case cfa_advance_loc2:
            return advance(in.get<uint16_t>());
        case cfa_advance_loc4:
            return advance(in.get<uint32_t>());
        case cfa_offset_extended: {
            const uint64_t reg = read_uleb(in);
            return set_saved(reg, SavedAt::cfa, factored(read_uleb(in)));
        }
        case cfa_offset_extended_sf: {
            const uint64_t reg = read_uleb(in);
            return set_saved(reg, SavedAt::cfa, factored(read_sleb(in)));
        }
        case cfa_gnu_negative_offset_extended: {
            const uint64_t reg = read_uleb(in);
            return set_saved(reg, SavedAt::cfa, -factored(read_uleb(in)));
        }
        case cfa_restore_extended:
            return set_same_as_initial(read_uleb(in));
        case cfa_undefined:
            return set_saved(read_uleb(in), SavedAt::undefined, 0);
        case cfa_same_value:
            return set_saved(read_uleb(in), SavedAt::same, 0);
        case cfa_register: {
            const uint64_t reg = read_uleb(in);
            return set_register(reg, read_uleb(in));
        }
        case cfa_remember_state:
            return remember();
        case cfa_restore_state:
            return restore();
        case cfa_def_cfa: {
            const uint64_t reg = read_uleb(in);
            return set_cfa(reg, static_cast<int64_t>(read_uleb(in)));
        }
        case cfa_def_cfa_sf: {
            const uint64_t reg = read_uleb(in);
            return set_cfa(reg, factored(read_sleb(in)));
        }
        case cfa_def_cfa_register:
            return set_cfa(read_uleb(in), state_.cfa_offset);
        case cfa_def_cfa_offset:
            return set_cfa(state_.cfa_register, static_cast<int64_t>(read_uleb(in)));
        case cfa_def_cfa_offset_sf:
            return set_cfa(state_.cfa_register, factored(read_sleb(in)));
        case cfa_def_cfa_expression:
            return set_cfa_expression(take_block(in));
        case cfa_expression: {
            const uint64_t reg = read_uleb(in);
            return set_expression(reg, take_block(in));
        }
        case cfa_val_offset:
        case cfa_val_offset_sf: {
            const uint64_t reg = read_uleb(in);
            read_uleb(in);  // as long as the signed number
            return set_saved(reg, SavedAt::same, 0, true);
        }
        case cfa_val_expression: {
            const uint64_t reg = read_uleb(in);
            take_block(in);
            return set_saved(reg, SavedAt::same, 0, true);
        }
        case cfa_gnu_args_size:
            read_uleb(in);
            return;
        default:
            throw_input("call frame information: instruction " + std::to_string(opcode));
    }
}

void CfiProgram::advance(uint64_t delta) {
    advance_to(at_.value() + delta * code_align_);
}

void CfiProgram::advance_to(uint64_t address) {
    if (address < at_.value()) throw_input("call frame information: goes backwards");
    note_row();
    at_ = {address};
}

void CfiProgram::set_saved(uint64_t reg, SavedAt where, int64_t offset, bool is_odd) {
    if (reg == machine_.noted()) {
        state_.fp = where;
        state_.fp_offset = offset;
        state_.fp_is_odd = is_odd;
    } else if (reg == machine_.return_address) {
        state_.ra = where;
        state_.ra_offset = offset;
        state_.ra_is_odd = is_odd;
    }
}

void CfiProgram::set_same_as_initial(uint64_t reg) {
    if (reg == machine_.noted())
        set_saved(reg, initial_.fp, initial_.fp_offset, initial_.fp_is_odd);
    else if (reg == machine_.return_address)
        set_saved(reg, initial_.ra, initial_.ra_offset, initial_.ra_is_odd);
}

void CfiProgram::set_cfa(uint64_t reg, int64_t offset) {
    state_.cfa_register = reg;
    state_.cfa_offset = offset;
    state_.cfa_is_memory = state_.cfa_is_plt = false;
}

void CfiProgram::set_cfa_expression(std::span<const std::byte> expression) {
    Indirect found;
    const int64_t threshold = machine_.has_link_register ? 0 : plt_threshold(expression);
    if (threshold != 0) {
        set_cfa(machine_.stack_pointer, threshold);
        state_.cfa_is_plt = true;
    } else if (read_indirect(expression, found)) {
        set_cfa(found.reg, found.offset);
        state_.cfa_is_memory = found.is_memory;
        state_.cfa_addend = found.addend;
    } else {
        set_cfa(no_register, 0);
    }
}

/// The address where a register is kept: as the stack pointer + offset in signal frames, as the frame pointer
/// + offset in functions that realign the stack.
void CfiProgram::set_expression(uint64_t reg, std::span<const std::byte> expression) {
    Indirect found;
    const bool is_plain = read_indirect(expression, found) && !found.is_memory;
    if (is_plain && found.reg == machine_.stack_pointer)
        set_saved(reg, SavedAt::sp, found.offset);
    else if (is_plain && found.reg == machine_.frame_pointer && reg != machine_.return_address)
        set_saved(reg, SavedAt::fp, found.offset);
    else
        set_saved(reg, SavedAt::same, 0, true);
}

void CfiProgram::set_register(uint64_t reg, uint64_t other) {
    set_saved(reg, SavedAt::other, static_cast<int64_t>(other),
              other > last_register || reg == machine_.noted());
}

void CfiProgram::remember() {
    if (remembered_.size() == most_states) throw_input("call frame information: too many states");
    remembered_.push_back(state_);
}

void CfiProgram::restore() {
    if (remembered_.empty()) throw_input("call frame information: no state to restore");
    state_ = remembered_.back();
    remembered_.pop_back();
}

CfaFrom CfiProgram::cfa_from() const {
    if (state_.cfa_is_plt) return CfaFrom::plt;
    if (state_.cfa_register == machine_.stack_pointer)
        return state_.cfa_is_memory ? CfaFrom::sp_memory : CfaFrom::sp;
    if (state_.cfa_register == machine_.frame_pointer)
        return state_.cfa_is_memory ? CfaFrom::fp_memory : CfaFrom::fp;
    const bool is_known = state_.cfa_register <= last_register && !state_.cfa_is_memory;
    return is_known ? CfaFrom::other : CfaFrom::unsupported;
}

UnwindRule CfiProgram::rule() const {
    const State& s = state_;
    UnwindRule rule;
    rule.is_signal_frame = is_signal_frame_;
    if (s.ra == SavedAt::undefined) {  // the end of the stack, wherever the frame is
        rule.cfa = CfaFrom::sp;
        rule.ra = SavedAt::undefined;
        return rule;
    }
    rule.cfa = cfa_from();
    // A return address that was never saved is on the machine's stack only by mistake.
    const bool has_ra = !s.ra_is_odd && (machine_.has_link_register || s.ra != SavedAt::same);
    if (rule.cfa == CfaFrom::unsupported || !has_ra || s.fp_is_odd || !fits(s.cfa_offset) ||
        !fits(s.cfa_addend) || !fits(s.fp_offset) || !fits(s.ra_offset)) {
        // The walk knows where a signal frame of such a machine has the registers.
        const bool is_known = is_signal_frame_ && machine_.has_back_chain;
        rule.cfa = is_known ? CfaFrom::sp : CfaFrom::unsupported;
        return rule;
    }
    rule.cfa_offset = static_cast<int32_t>(s.cfa_offset);
    if (s.cfa_is_memory) rule.cfa_addend = static_cast<int32_t>(s.cfa_addend);
    if (rule.cfa == CfaFrom::other) rule.cfa_addend = static_cast<int32_t>(s.cfa_register);
    rule.fp = s.fp;
    rule.fp_offset = static_cast<int32_t>(s.fp_offset);
    rule.ra = s.ra;
    rule.ra_offset = static_cast<int32_t>(s.ra_offset);
    return rule;
}

void CfiProgram::note_row() {
    if (at_ >= end_) return;
    const UnwindRule now = rule();
    const bool has_rows = rows_.size() > first_row_;
    if (has_rows && rows_.back().start == at_)
        rows_.back().rule = now;  // a later row for one address is the one that counts
    else
        rows_.push_back({at_, now});
    const size_t count = rows_.size() - first_row_;
    if (count > 1 && rows_[rows_.size() - 2].rule == rows_.back().rule) rows_.pop_back();
}

void CfiProgram::give_up() {
    UnwindRule rest;
    rest.cfa = CfaFrom::unsupported;
    if (at_ >= end_) return;
    if (rows_.size() > first_row_ && rows_.back().start == at_) rows_.pop_back();
    if (rows_.size() == first_row_ || rows_.back().rule != rest) rows_.push_back({at_, rest});
}

}  // namespace op::collect
