// SPDX-License-Identifier: GPL-2.0-or-later
// Follows the stack pointer along one way to the return: all ways from one place have the same sum.
#include "daemon/unwind/return_path.h"

#include <cstdint>
#include <initializer_list>
#include <optional>

namespace op::collect {

namespace {

constexpr int most_instructions = 64;
constexpr int32_t word_size = 8, largest_frame = 1 << 16;
constexpr uint8_t rsp = 4, rbp = 5, no_own = 8;

class ReturnPath {
public:
    ReturnPath(std::span<const std::byte> code, size_t at) : code_(code), at_(at) {}

    UnwindRule find() {
        for (int i = 0; i < most_instructions && !is_over_; ++i)
            if (!step()) return {};
        if (!is_over_ || sp_ < 0 || sp_ > largest_frame) return {};
        UnwindRule rule{
            .cfa = CfaFrom::sp, .ra = SavedAt::cfa, .cfa_offset = sp_ + word_size, .ra_offset = -word_size};
        if (fp_at_) {
            rule.fp = SavedAt::sp;
            rule.fp_offset = *fp_at_;
        }
        return rule;
    }

private:
    /// One way, up to a place.
    struct Branch {
        size_t at;
        int32_t sp;
    };

    uint8_t byte(size_t ahead) const {
        return at_ + ahead < code_.size() ? std::to_integer<uint8_t>(code_[at_ + ahead]) : bad;
    }
    int32_t number(size_t ahead, size_t size) const {
        uint32_t value = 0;
        for (size_t i = 0; i < size; ++i)
            value |= static_cast<uint32_t>(byte(ahead + i)) << 8 * i;
        return size == 1 ? static_cast<int8_t>(value) : static_cast<int32_t>(value);
    }
    bool is_at(std::initializer_list<uint8_t> bytes) const {
        size_t i = 0;
        for (const uint8_t each : bytes)
            if (byte(i++) != each) return false;
        return true;
    }
    bool go(size_t length) {
        at_ += length;
        return at_ < code_.size();
    }
    /// To a place relative to the end of an instruction. Backwards is fine: the number of steps is bounded.
    bool jump(size_t length, int32_t distance) {
        at_ += length + static_cast<size_t>(int64_t{distance});
        return at_ < code_.size();
    }
    bool end() {
        is_over_ = true;
        return true;
    }

    bool step();
    bool step_plain(size_t prefix, bool is_wide);
    bool step_group(size_t prefix);
    bool move_sp(int32_t by, size_t length);
    bool pop(uint8_t reg, size_t length);
    bool take_other_way();
    size_t operand_length(size_t at) const;

    static constexpr uint8_t bad = 0x06;  // no instruction of 64-bit mode

    std::span<const std::byte> code_;
    size_t at_;
    int32_t sp_ = 0;                     ///< how far the stack pointer has moved
    std::optional<int32_t> fp_at_ = {};  ///< where the caller's rbp is, from the stack pointer at the start
    std::optional<Branch> other_way_ = {};
    bool is_over_ = false;
    bool was_called_ = false;  ///< a call that does not return is followed by another function
};

/// Bytes of ModRM, SIB and displacement.
size_t ReturnPath::operand_length(size_t at) const {
    const uint8_t modrm = byte(at), mod = modrm >> 6, rm = modrm & 7;
    if (mod == 3) return 1;
    const bool has_sib = rm == 4;
    const bool has_base = !has_sib || (byte(at + 1) & 7) != 5;
    if (mod == 0) return 1 + has_sib + (rm == 5 || !has_base ? 4 : 0);
    return 1 + has_sib + (mod == 1 ? 1 : 4);
}

bool ReturnPath::move_sp(int32_t by, size_t length) {
    if (by < 0 && was_called_) return false;
    sp_ += by;
    return sp_ > -largest_frame && sp_ < largest_frame && go(length);
}

/// What was pushed behind the start is the caller's own value again.
bool ReturnPath::pop(uint8_t reg, size_t length) {
    if (reg == rsp) return false;
    if (reg == rbp) fp_at_ = sp_ >= 0 ? std::optional(sp_) : std::nullopt;
    return move_sp(word_size, length);
}

/// Instead of a jump that may lead anywhere.
bool ReturnPath::take_other_way() {
    if (!other_way_) return false;
    at_ = other_way_->at;
    sp_ = other_way_->sp;
    other_way_.reset();
    return at_ < code_.size();
}

/// Instructions that neither move the stack pointer nor write rbp: the operand that is written is no register
/// of these two.
bool ReturnPath::step_plain(size_t prefix, bool is_wide) {
    const uint8_t opcode = byte(prefix), modrm = byte(prefix + 1);
    const size_t length = operand_length(prefix + 1);
    const uint8_t to_rm = (modrm >> 6) == 3 ? modrm & 7 : 0, to_reg = modrm >> 3 & 7;
    const auto is_own = [](uint8_t reg) { return reg == rsp || reg == rbp; };
    switch (opcode) {
        case 0x85:  // test
        case 0x39:  // cmp
        case 0x3b:
            return go(prefix + 1 + length);
        case 0x01:  // add
        case 0x29:  // sub
        case 0x31:  // xor
        case 0x89:  // mov to memory or register
        case 0xd1:  // shift by 1
            if (is_wide && opcode == 0x89 && modrm == 0xe5) return go(prefix + 2);  // mov %rsp,%rbp
            return !is_own(to_rm) && go(prefix + 1 + length);
        case 0x8b:  // mov from memory or register
        case 0x8d:  // lea
            return !is_own(to_reg) && go(prefix + 1 + length);
        case 0xc1:  // shift
            return !is_own(to_rm) && go(prefix + 2 + length);
        case 0x83:
            if (is_wide && modrm == 0xec) return move_sp(-number(prefix + 2, 1), prefix + 3);
            if (is_wide && modrm == 0xc4) return move_sp(number(prefix + 2, 1), prefix + 3);
            return (to_reg == 7 || !is_own(to_rm)) && go(prefix + 2 + length);  // 7: cmp
        case 0x81:
            if (is_wide && modrm == 0xec) return move_sp(-number(prefix + 2, 4), prefix + 6);
            if (is_wide && modrm == 0xc4) return move_sp(number(prefix + 2, 4), prefix + 6);
            return false;
        default:
            return false;
    }
}

/// Those of opcode 0xff.
bool ReturnPath::step_group(size_t prefix) {
    const uint8_t which = byte(prefix + 1) >> 3 & 7;
    if (which == 2) {
        was_called_ = true;
        return go(prefix + 1 + operand_length(prefix + 1));
    }
    const bool is_through_table = byte(prefix + 1) == 0x25;
    return which == 4 && (is_through_table ? end() : take_other_way());
}

bool ReturnPath::step() {
    if (is_at({0xf3, 0x0f, 0x1e, 0xfa})) return !was_called_ && go(4);  // endbr64
    if (is_at({0x66, 0x90})) return go(2);
    size_t prefix = 0;
    while (prefix < 4 && (byte(prefix) == 0x66 || byte(prefix) == 0x2e) && byte(prefix + 1) != 0x90)
        ++prefix;
    if (byte(prefix) == 0x0f && byte(prefix + 1) == 0x1f) return go(prefix + 2 + operand_length(prefix + 2));
    if (prefix != 0) return false;
    const uint8_t first = byte(0), rex = first & 0xf0;
    const bool has_extension = rex == 0x40 && (first & 1) != 0;  // r8 to r15
    prefix = rex == 0x40 ? 1 : 0;
    const uint8_t opcode = byte(prefix);
    if (opcode >= 0x50 && opcode <= 0x57) return move_sp(-word_size, prefix + 1);
    if (opcode >= 0x58 && opcode <= 0x5f) return pop(has_extension ? no_own : opcode & 7, prefix + 1);
    if (opcode == 0xff) return step_group(prefix);
    if (rex == 0x40) return (first & 7) == 0 && step_plain(1, (first & 8) != 0);
    if (opcode >= 0x70 && opcode <= 0x7f) {
        other_way_ = Branch{at_ + 2 + static_cast<size_t>(int64_t{number(1, 1)}), sp_};
        return go(2);
    }
    switch (opcode) {
        case 0xc3:
            return end();
        case 0x90:
            return go(1);
        case 0xe8:
            was_called_ = true;
            return go(5);
        case 0xe9:
            return jump(5, number(1, 4));
        case 0xeb:
            return jump(2, number(1, 1));
        case 0x80:  // cmp with a byte
            return (byte(1) >> 3 & 7) == 7 && go(2 + operand_length(1));
        case 0xc6:  // mov of a byte
            return (byte(1) >> 6) != 3 && go(2 + operand_length(1));
        default:
            return step_plain(0, false);
    }
}

}  // namespace

UnwindRule rule_by_return_path(std::span<const std::byte> code, size_t at) {
    return at < code.size() ? ReturnPath(code, at).find() : UnwindRule{};
}

}  // namespace op::collect
