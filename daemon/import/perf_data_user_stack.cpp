// SPDX-License-Identifier: GPL-2.0-or-later
// Registers by their bits in the attribute's mask.
#include "daemon/import/perf_data_user_stack.h"

#include <linux/perf_event.h>

#include <algorithm>
#include <bit>

#include "daemon/perf/user_registers.h"

namespace op::collect {

UserStack take_user_stack(FieldReader& in, uint64_t mask) {
    UserStack stack;
    const uint64_t abi = in.u64();
    for (uint64_t left = abi == PERF_SAMPLE_REGS_ABI_NONE ? 0 : mask; left != 0; left &= left - 1) {
        const uint64_t value = in.u64();
        const uint64_t bit = left & -left;
        if ((user_register_mask & bit) == 0) continue;
        const uint8_t number =
            user_register_numbers[static_cast<size_t>(std::popcount(user_register_mask & (bit - 1)))];
        if (number == user_register_pc)
            stack.registers.pc = {value};
        else
            stack.registers.by_number[number] = value;
    }
    stack.is_kernel_thread = abi == PERF_SAMPLE_REGS_ABI_NONE;
    const bool has_all = (mask & user_register_mask) == user_register_mask;
    stack.has_registers = abi == PERF_SAMPLE_REGS_ABI_64 && has_all;
    stack.is_32_bit = abi == PERF_SAMPLE_REGS_ABI_32 && has_all;
    stack.requested = in.u64();
    if (stack.requested == 0) return stack;
    stack.bytes = in.take(stack.requested);
    stack.bytes = stack.bytes.first(std::min(in.u64(), stack.requested));
    return stack;
}

}  // namespace op::collect
