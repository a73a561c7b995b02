// SPDX-License-Identifier: GPL-2.0-or-later
// Prefixes, an opcode of one of four maps, an operand, a constant.
#include "daemon/unwind/x86_code.h"

#include <initializer_list>

namespace op::collect {

namespace {

using Kind = X86Instruction::Kind;

constexpr uint8_t rsp = 4, rbp = 5, invalid = 0x06;
constexpr size_t longest_instruction = 15;

class Decoder {
public:
    explicit Decoder(std::span<const std::byte> code) : code_(code) {}

    X86Instruction read() {
        if (!read_prefixes()) return {};
        const Kind kind = has_vector_ ? vector() : map_ == 1 ? one_byte() : two_byte();
        if (kind == Kind::unknown || at_ > code_.size() || at_ > longest_instruction) return {};
        found_.kind = kind;
        found_.length = static_cast<uint8_t>(at_);
        return found_;
    }

private:
    uint8_t byte(size_t at) const {
        return at < code_.size() ? std::to_integer<uint8_t>(code_[at]) : invalid;
    }
    int32_t number(size_t size) {
        uint32_t value = 0;
        for (size_t i = 0; i < size; ++i)
            value |= static_cast<uint32_t>(byte(at_ + i)) << 8 * i;
        at_ += size;
        return size == 1 ? static_cast<int8_t>(value) : static_cast<int32_t>(value);
    }
    Kind skip(size_t size, Kind kind = Kind::plain) {
        at_ += size;
        return kind;
    }
    bool is_wide() const { return (rex_ & 8) != 0; }
    /// Of constants that have the operand's size, but at most four bytes.
    size_t usual_size() const { return is_short_ && !is_wide() ? 2 : 4; }
    /// The general register of that number is one with a use of its own.
    bool is_sp(uint8_t number, int extension) const { return number == rsp && (rex_ & extension) == 0; }
    bool is_fp(uint8_t number, int extension) const { return number == rbp && (rex_ & extension) == 0; }

    bool read_prefixes();
    bool read_vector_prefix(uint8_t first);
    uint8_t operand();
    Kind writes_operand(size_t constant);
    Kind writes_register(size_t constant);
    Kind writes_both();
    Kind reads(size_t constant);
    Kind jump(Kind kind, size_t size);
    Kind add_to_sp(size_t constant, uint8_t modrm);
    Kind one_byte();
    Kind arithmetic(uint8_t opcode);
    Kind constant_group(uint8_t opcode);
    Kind move(uint8_t opcode);
    Kind one_byte_rest(uint8_t opcode);
    Kind stack_group();
    Kind two_byte();
    Kind general_of_two(uint8_t opcode);
    Kind vector();

    std::span<const std::byte> code_;
    size_t at_ = 0;
    uint8_t rex_ = 0, map_ = 1;
    bool is_short_ = false, has_vector_ = false;
    X86Instruction found_;
};

/// Leaves `at_` at the opcode.
bool Decoder::read_prefixes() {
    for (; at_ < longest_instruction; ++at_) {
        const uint8_t each = byte(at_);
        const bool is_segment =
            each == 0x2e || each == 0x36 || each == 0x3e || each == 0x26 || each == 0x64 || each == 0x65;
        is_short_ |= each == 0x66;
        if (!is_segment && each != 0x66 && each != 0xf0 && each != 0xf2 && each != 0xf3) break;
    }
    const uint8_t first = byte(at_);
    if (first == 0x67) return false;
    if (first == 0xc4 || first == 0xc5 || first == 0x62) return read_vector_prefix(first);
    if ((first & 0xf0) == 0x40) {
        rex_ = first & 0xf;
        ++at_;
    }
    if (byte(at_) == 0x0f) {
        map_ = byte(at_ + 1) == 0x38 ? 3 : byte(at_ + 1) == 0x3a ? 4 : 2;
        at_ += map_ == 2 ? 1 : 2;
    }
    return true;
}

/// VEX of two or three bytes, EVEX of four.
bool Decoder::read_vector_prefix(uint8_t first) {
    has_vector_ = true;
    const uint8_t map = first == 0xc5 ? 1 : byte(at_ + 1) & (first == 0x62 ? 7 : 0x1f);
    at_ += first == 0xc5 ? 2 : first == 0xc4 ? 3 : 4;
    map_ = map + 1;
    return map >= 1 && map <= 3;
}

/// Skips ModRM, SIB and displacement and returns the first.
uint8_t Decoder::operand() {
    const uint8_t modrm = byte(at_), mod = modrm >> 6, rm = modrm & 7;
    const bool has_sib = mod != 3 && rm == 4;
    const uint8_t base = has_sib ? byte(at_ + 1) & 7 : rm;
    at_ += 1 + has_sib;
    if (mod == 1) at_ += 1;
    if (mod == 2 || (mod == 0 && base == 5)) at_ += 4;
    return modrm;
}

Kind Decoder::reads(size_t constant) {
    operand();
    return skip(constant);
}

Kind Decoder::writes_operand(size_t constant) {
    const uint8_t modrm = operand();
    if ((modrm >> 6) == 3 && is_sp(modrm & 7, 1)) return Kind::unknown;
    found_.is_of_fp = (modrm >> 6) == 3 && is_fp(modrm & 7, 1);
    return skip(constant);
}

Kind Decoder::writes_register(size_t constant) {
    const uint8_t modrm = operand(), reg = modrm >> 3 & 7;
    found_.is_of_fp = is_fp(reg, 4);
    return is_sp(reg, 4) ? Kind::unknown : skip(constant);
}

Kind Decoder::writes_both() {
    const uint8_t modrm = byte(at_);
    if (is_sp(modrm >> 3 & 7, 4)) return Kind::unknown;
    const Kind kind = writes_operand(0);
    found_.is_of_fp |= is_fp(modrm >> 3 & 7, 4);
    return kind;
}

Kind Decoder::jump(Kind kind, size_t size) {
    if (is_short_) return Kind::unknown;  // processors of two makers differ
    found_.amount = number(size);
    return kind;
}

/// add, sub, cmp and others of a register and a constant.
Kind Decoder::add_to_sp(size_t constant, uint8_t modrm) {
    const uint8_t which = modrm >> 3 & 7;
    if (which == 7) return reads(constant);  // cmp
    if ((modrm >> 6) != 3 || !is_sp(modrm & 7, 1)) return writes_operand(constant);
    if (!is_wide() || is_short_ || (which != 0 && which != 5)) return Kind::unknown;
    ++at_;
    const int32_t value = number(constant);
    constexpr int32_t largest = 1 << 24;
    if (value > largest || value < -largest) return Kind::unknown;
    found_.amount = which == 0 ? value : -value;
    return Kind::add_sp;
}

/// The eight operations of two operands: add, or, adc, sbb, and, sub, xor, cmp.
Kind Decoder::arithmetic(uint8_t opcode) {
    const bool is_compare = opcode >= 0x38;
    switch (opcode & 7) {
        case 0:
        case 1:
            return is_compare ? reads(0) : writes_operand(0);
        case 2:
        case 3:
            return is_compare ? reads(0) : writes_register(0);
        case 4:
            return skip(1);
        case 5:
            return skip(usual_size());
        default:
            return Kind::unknown;
    }
}

Kind Decoder::constant_group(uint8_t opcode) {
    const uint8_t modrm = byte(at_), which = modrm >> 3 & 7;
    switch (opcode) {
        case 0x80:
            return which == 7 ? reads(1) : writes_operand(1);
        case 0x81:
            return add_to_sp(usual_size(), modrm);
        case 0x83:
            return add_to_sp(1, modrm);
        case 0xf6:
            return which < 2 ? reads(1) : writes_operand(0);
        default:  // 0xf7
            return which < 2 ? reads(usual_size()) : writes_operand(0);
    }
}

Kind Decoder::move(uint8_t opcode) {
    const uint8_t modrm = byte(at_);
    const bool is_frame = is_wide() && (rex_ & 5) == 0;
    if (is_frame && ((opcode == 0x89 && modrm == 0xe5) || (opcode == 0x8b && modrm == 0xec))) {
        found_.is_of_fp = true;
        return skip(1, Kind::set_frame);
    }
    if (is_frame && ((opcode == 0x89 && modrm == 0xec) || (opcode == 0x8b && modrm == 0xe5)))
        return skip(1, Kind::drop_frame);
    return opcode < 0x8a ? writes_operand(0) : writes_register(0);
}

/// inc, dec, call, jmp, push.
Kind Decoder::stack_group() {
    switch (byte(at_) >> 3 & 7) {
        case 0:
        case 1:
            return writes_operand(0);
        case 2:
            operand();
            return Kind::call;
        case 6:
            operand();
            return is_short_ ? Kind::unknown : Kind::push;
        default:
            operand();
            return Kind::stop;
    }
}

Kind Decoder::one_byte() {
    const uint8_t opcode = byte(at_++), low = opcode & 7;
    if (opcode < 0x40) return arithmetic(opcode);
    if (opcode >= 0x50 && opcode < 0x60) {
        const bool is_pop = opcode >= 0x58;
        if (is_short_ || (is_pop && is_sp(low, 1))) return Kind::unknown;
        found_.is_of_fp = is_fp(low, 1);
        return is_pop ? Kind::pop : Kind::push;
    }
    if (opcode >= 0x70 && opcode < 0x80) return jump(Kind::branch, 1);
    if (opcode >= 0x90 && opcode < 0x98) {  // xchg with rax
        found_.is_of_fp = is_fp(low, 1);
        return opcode != 0x90 && is_sp(low, 1) ? Kind::unknown : Kind::plain;
    }
    if (opcode >= 0xb0 && opcode < 0xc0) {
        found_.is_of_fp = is_fp(low, 1);
        const size_t constant = opcode < 0xb8 ? 1 : is_wide() ? 8 : usual_size();
        return is_sp(low, 1) ? Kind::unknown : skip(constant);
    }
    if (opcode >= 0xd8 && opcode < 0xe0) return reads(0);  // of the floating-point unit
    return one_byte_rest(opcode);
}

Kind Decoder::one_byte_rest(uint8_t opcode) {
    switch (opcode) {
        case 0x63:  // movsxd
        case 0x8d:  // lea
            return writes_register(0);
        case 0x68:
            return is_short_ ? Kind::unknown : skip(4, Kind::push);
        case 0x6a:
            return is_short_ ? Kind::unknown : skip(1, Kind::push);
        case 0x69:  // imul
            return writes_register(usual_size());
        case 0x6b:
            return writes_register(1);
        case 0x80:
        case 0x81:
        case 0x83:
        case 0xf6:
        case 0xf7:
            return constant_group(opcode);
        case 0x84:  // test
        case 0x85:
            return reads(0);
        case 0x86:  // xchg
        case 0x87:
            return writes_both();
        case 0x88:
        case 0x89:
        case 0x8a:
        case 0x8b:
            return move(opcode);
        case 0x98:  // cdqe
        case 0x99:
        case 0xa4:  // movs, cmps, stos, lods, scas
        case 0xa5:
        case 0xa6:
        case 0xa7:
        case 0xaa:
        case 0xab:
        case 0xac:
        case 0xad:
        case 0xae:
        case 0xaf:
            return Kind::plain;
        case 0xa8:
            return skip(1);
        case 0xa9:
            return skip(usual_size());
        case 0xc0:  // shifts
        case 0xc1:
        case 0xc6:  // mov of a constant
            return writes_operand(1);
        case 0xc7:
            return writes_operand(usual_size());
        case 0xd0:
        case 0xd1:
        case 0xd2:
        case 0xd3:
            return writes_operand(0);
        case 0xc2:
            return skip(2, Kind::ret);
        case 0xc3:
            return Kind::ret;
        case 0xc9:
            return Kind::drop_frame;
        case 0xcc:
            return Kind::stop;
        case 0xe8:
            return jump(Kind::call, 4);
        case 0xe9:
            return jump(Kind::jump, 4);
        case 0xeb:
            return jump(Kind::jump, 1);
        case 0xfe:
            return writes_operand(0);
        case 0xff:
            return stack_group();
        default:
            return Kind::unknown;
    }
}

/// Those of the second map that may write a general register.
Kind Decoder::general_of_two(uint8_t opcode) {
    switch (opcode) {
        case 0xa3:  // bt
            return reads(0);
        case 0xab:  // bts, btr, btc
        case 0xb3:
        case 0xbb:
        case 0xa5:  // shld, shrd
        case 0xad:
        case 0xc3:  // movnti
            return writes_operand(0);
        case 0xa4:
        case 0xac:
        case 0xba:
            return writes_operand(1);
        case 0xb0:  // cmpxchg
        case 0xb1:
            return writes_operand(0);
        case 0xc0:  // xadd
        case 0xc1:
            return writes_both();
        case 0xae:  // fences, states
            return reads(0);
        case 0xaf:  // imul
        case 0xb6:  // movzx, movsx
        case 0xb7:
        case 0xbe:
        case 0xbf:
        case 0xb8:  // popcnt, tzcnt, lzcnt
        case 0xbc:
        case 0xbd:
            return writes_register(0);
        default:
            return Kind::unknown;
    }
}

Kind Decoder::two_byte() {
    const uint8_t opcode = byte(at_++);
    if (map_ == 3) return reads(0);
    if (map_ == 4) return reads(1);
    if (opcode == 0x0b) return Kind::stop;
    if (opcode == 0x31 || opcode == 0x77 || opcode == 0xa2) return Kind::plain;
    if (opcode >= 0x40 && opcode < 0x50) return writes_register(0);
    if (opcode >= 0x80 && opcode < 0x90) return jump(Kind::branch, 4);
    if (opcode >= 0x90 && opcode < 0xa0) return writes_operand(0);
    if (opcode >= 0xc8 && opcode < 0xd0) {  // bswap
        found_.is_of_fp = is_fp(opcode & 7, 1);
        return is_sp(opcode & 7, 1) ? Kind::unknown : Kind::plain;
    }
    const bool has_constant = (opcode >= 0x70 && opcode < 0x74) || opcode == 0xc2 || opcode == 0xc4 ||
                              opcode == 0xc5 || opcode == 0xc6;
    const bool is_vector = (opcode >= 0x10 && opcode < 0x18) || (opcode >= 0x28 && opcode < 0x30) ||
                           (opcode >= 0x50 && opcode < 0x80) || opcode >= 0xd0 || has_constant;
    if (is_vector || opcode == 0x0d || (opcode >= 0x18 && opcode < 0x20)) return reads(has_constant ? 1 : 0);
    return general_of_two(opcode);
}

/// With a VEX or EVEX prefix. Compilers do not let these write the two registers.
Kind Decoder::vector() {
    const uint8_t opcode = byte(at_++);
    if (map_ == 3) return reads(0);
    if (map_ == 4) return reads(1);
    if (opcode == 0x77) return Kind::plain;
    const bool has_constant = (opcode >= 0x70 && opcode < 0x74) || opcode == 0xc2 || opcode == 0xc4 ||
                              opcode == 0xc5 || opcode == 0xc6;
    return reads(has_constant ? 1 : 0);
}

}  // namespace

X86Instruction read_x86(std::span<const std::byte> code) {
    return Decoder(code).read();
}

}  // namespace op::collect
