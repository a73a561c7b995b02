// SPDX-License-Identifier: GPL-2.0-or-later
// What a sample brings of the sampled thread's stack, for those who look for its callers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "libop/base/address.h"

namespace op {

/// Registers by their numbers in call frame information, as far as samples hold them.
inline constexpr size_t unwind_registers = 32;

/// Registers in user mode, also of a sample that was taken in kernel mode; 0 where the sample has none.
struct UserRegisters {
    RuntimeAddress pc = {};
    std::array<uint64_t, unwind_registers> by_number = {};
};

/// A copy of the stack from its pointer on.
struct UserStack {
    UserRegisters registers;
    bool is_kernel_thread = false;  ///< it has no user stack
    bool has_registers = false;     ///< as the machine's own programs have them
    bool is_32_bit = false;         ///< they are those of a 32-bit program
    std::span<const std::byte> bytes = {};
    uint64_t requested = 0;  ///< bytes that would have been copied if all had been in memory
    bool is_whole = false;   ///< these are all that there are up to the stack's end
};

}  // namespace op
