// SPDX-License-Identifier: GPL-2.0-or-later
// How to find a frame's caller: what call frame information states about one place in the code, reduced to
// the registers that a walk needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace op::collect {

/// The numbers that a machine's call frame information has for the registers of a walk.
struct UnwindMachine {
    uint8_t stack_pointer, frame_pointer, return_address;
    bool has_link_register;  ///< calls leave the return address in a register
};
/// System V ABI, AMD64 supplement, figure 3.36.
inline constexpr UnwindMachine unwind_x86_64{7, 6, 16, false};
/// DWARF for the Arm 64-bit Architecture, section 4.1.
inline constexpr UnwindMachine unwind_aarch64{31, 29, 30, true};

/// Where the canonical frame address (CFA) comes from: the caller's stack pointer (DWARF 5, section 6.4).
enum class CfaFrom : uint8_t {
    no_info,      ///< the code has no call frame information
    unsupported,  ///< it has, but of a kind that a walk cannot follow
    sp,           ///< stack pointer + offset
    fp,           ///< frame pointer + offset
    sp_memory,    ///< the word at stack pointer + offset, + addend
    fp_memory,    ///< the word at frame pointer + offset, + addend
    other,        ///< register number `addend` + offset; known in the innermost frame only
    plt           ///< stack pointer + 8, and 8 more from byte `offset` of a 16-byte entry on
};

/// Where a register of the caller is kept.
enum class SavedAt : uint8_t {
    same,       ///< still in the register
    cfa,        ///< in memory at CFA + offset
    sp,         ///< in memory at stack pointer + offset
    other,      ///< in register number `offset`; known in the innermost frame only
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
