// SPDX-License-Identifier: GPL-2.0-or-later
// How to find a frame's caller: what call frame information states about one place in the code, reduced to
// the registers that a walk needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

namespace op::collect {

/// The numbers that a machine's call frame information has for the registers of a walk.
struct UnwindMachine {
    uint8_t stack_pointer, frame_pointer, return_address;
    bool has_link_register;    ///< calls leave the return address in a register
    uint32_t saved_registers;  ///< bits of those that functions leave as they were, without the above
    uint8_t link_register;     ///< where UserRegisters have that register
    /// The word at the stack pointer is the caller's stack pointer, whatever the function. A function that
    /// calls others has its return address in the caller's frame.
    bool has_back_chain = false;
    /// The register whose place a rule's `fp` states, if it is not the frame pointer's.
    std::optional<uint8_t> followed = {};

    uint8_t noted() const noexcept { return followed.value_or(frame_pointer); }
    bool is_saved(uint8_t number) const noexcept {
        return number < 32 && (saved_registers >> number & 1) != 0;
    }
};
/// System V ABI, AMD64 supplement, figures 3.4 and 3.36: rbx, r12 to r15.
inline constexpr UnwindMachine unwind_x86_64{7, 6, 16, false, 0xf008, 16};
/// DWARF for the Arm 64-bit Architecture, section 4.1; its procedure call standard, section 6.1.1: x19 to
/// x28.
inline constexpr UnwindMachine unwind_aarch64{31, 29, 30, true, 0x1ff80000, 30};
/// 64-Bit ELF V2 ABI for POWER, sections 2.2.2 and 2.4. No frame is found by a frame pointer or by registers
/// that functions save: the back chain is always there. The link register, number 65, is in the place of r13,
/// the thread pointer.
inline constexpr UnwindMachine unwind_ppc64{1, 0xff, 65, true, 0, 13, true};

/// Where the canonical frame address (CFA) comes from: the caller's stack pointer (DWARF 5, section 6.4).
enum class CfaFrom : uint8_t {
    no_info,      ///< the code has no call frame information
    unsupported,  ///< it has, but of a kind that a walk cannot follow
    sp,           ///< stack pointer + offset
    fp,           ///< frame pointer + offset
    sp_memory,    ///< the word at stack pointer + offset, + addend
    fp_memory,    ///< the word at frame pointer + offset, + addend
    other,        ///< register number `addend` + offset
    plt           ///< stack pointer + 8, and 8 more from byte `offset` of a 16-byte entry on
};

/// Where a register of the caller is kept.
enum class SavedAt : uint8_t {
    same,   ///< still in the register
    cfa,    ///< in memory at CFA + offset
    sp,     ///< in memory at stack pointer + offset
    fp,     ///< in memory at frame pointer + offset, if that is below the CFA; else it is restored already
    other,  ///< in register number `offset`; known in the innermost frame only
    undefined,  ///< nowhere; of the return address: this is the outermost frame
};

/// One rule. Offsets are in bytes.
struct UnwindRule {
    CfaFrom cfa = CfaFrom::no_info;
    SavedAt fp = SavedAt::same;
    SavedAt ra = SavedAt::same;
    bool is_signal_frame = false;  ///< the caller was interrupted: its pc is no return address
    int32_t cfa_offset = 0, cfa_addend = 0, fp_offset = 0, ra_offset = 0;

    bool operator==(const UnwindRule&) const = default;
};

struct UnwindRuleHash {
    size_t operator()(const UnwindRule& rule) const noexcept {
        const uint64_t kinds = static_cast<uint64_t>(rule.cfa) | static_cast<uint64_t>(rule.fp) << 8 |
                               static_cast<uint64_t>(rule.ra) << 16 |
                               static_cast<uint64_t>(rule.is_signal_frame) << 24;
        uint64_t hash = kinds;
        for (const int32_t each : {rule.cfa_offset, rule.cfa_addend, rule.fp_offset, rule.ra_offset})
            hash = (hash ^ static_cast<uint32_t>(each)) * 0x9e3779b97f4a7c15;
        return hash ^ hash >> 29;
    }
};

}  // namespace op::collect
