// SPDX-License-Identifier: GPL-2.0-or-later
// The user registers that samples carry, and their numbers in call frame information. Sources: uapi
// asm/perf_regs.h; the DWARF numbers of daemon/unwind/unwind_rule.h.
#pragma once

#include <array>
#include <cstdint>

namespace op::collect {

/// The pc: its number differs between machines.
inline constexpr uint8_t user_register_pc = 0xff;

#if defined(__x86_64__)
/// ax, bx, cx, dx, si, di, bp, sp, ip; r8 to r15. Bits of attr.sample_regs_user.
inline constexpr uint64_t user_register_mask = 0xff01ff;
/// By bit.
inline constexpr std::array<uint8_t, 17> user_register_numbers{0, 3, 2,  1,  4,  5,  6,  7, user_register_pc,
                                                               8, 9, 10, 11, 12, 13, 14, 15};
#elif defined(__aarch64__)
/// x0 to x29, lr, sp, pc.
inline constexpr uint64_t user_register_mask = 0x1ffffffff;
inline constexpr std::array<uint8_t, 33> user_register_numbers{
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
    11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
    22, 23, 24, 25, 26, 27, 28, 29, 30, 31, user_register_pc};
#elif defined(__powerpc64__) && _CALL_ELF == 2
/// r0 to r12, r14 to r31; nip; link, which takes the place of r13 (see unwind_ppc64).
inline constexpr uint64_t user_register_mask = 0x11ffffdfff;
inline constexpr std::array<uint8_t, 33> user_register_numbers{
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 14, 15, 16,
    17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, user_register_pc,
    13};
#else
/// Stacks are walked by the kernel there.
inline constexpr uint64_t user_register_mask = 0;
inline constexpr std::array<uint8_t, 0> user_register_numbers{};
#endif

}  // namespace op::collect
