// SPDX-License-Identifier: GPL-2.0-or-later
// Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, CALL and section 2.1.5; Arm
// Architecture Reference Manual, BL, BLR, BLRA; Power ISA, book I, section 2.4.
#include "daemon/unwind/call_code.h"

#include <cstdint>
#include <cstring>

namespace op::collect {

namespace {

constexpr uint8_t near_call = 0xe8, by_operand = 0xff;
constexpr size_t near_call_size = 5;

/// Bytes of an instruction with a one-byte opcode, up to the end of its operand. `sib` counts where the
/// operand has it.
size_t size_of(uint8_t mod_rm, uint8_t sib) {
    const int mod = mod_rm >> 6, rm = mod_rm & 7;
    if (mod == 3) return 2;
    const bool has_sib = rm == 4, has_no_base = mod == 0 && (has_sib ? (sib & 7) == 5 : rm == 5);
    const size_t displacement = mod == 1 ? 1 : mod == 2 || has_no_base ? 4 : 0;
    return 2 + has_sib + displacement;
}

bool ends_with_x86_call(std::span<const std::byte, longest_call> code) {
    const auto at = [&](size_t before) { return std::to_integer<uint8_t>(code[longest_call - before]); };
    if (at(near_call_size) == near_call) return true;
    for (size_t size = 2; size < longest_call; ++size) {
        const uint8_t mod_rm = at(size - 1), sib = size > 2 ? at(size - 2) : 0;
        const bool is_call = at(size) == by_operand && (mod_rm >> 3 & 7) == 2;
        if (is_call && size_of(mod_rm, sib) == size) return true;
    }
    return false;
}

bool ends_with_arm_call(std::span<const std::byte, longest_call> code) {
    uint32_t word = 0;
    std::memcpy(&word, code.last<4>().data(), sizeof word);
    const bool is_bl = word >> 26 == 0x25, is_blr = (word & 0xfffffc1f) == 0xd63f0000;
    const bool is_signed_blr = (word & 0xfefff800) == 0xd63f0800;  // blraa, blrab, blraaz, blrabz
    return is_bl || is_blr || is_signed_blr;
}

bool ends_with_power_call(std::span<const std::byte, longest_call> code) {
    uint32_t word = 0;
    std::memcpy(&word, code.last<4>().data(), sizeof word);
    const bool is_bl = (word & 0xfc000001) == 0x48000001, is_bcl = (word & 0xfc000001) == 0x40000001;
    return is_bl || is_bcl || (word & 0xfc0003ff) == 0x4c000021;  // bclrl, bcctrl
}

}  // namespace

bool ends_with_call(std::span<const std::byte, longest_call> code, const UnwindMachine& machine) noexcept {
    if (machine.has_back_chain) return ends_with_power_call(code);
    return machine.has_link_register ? ends_with_arm_call(code) : ends_with_x86_call(code);
}

}  // namespace op::collect
