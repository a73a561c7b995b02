// SPDX-License-Identifier: GPL-2.0-or-later
// Walks a stack from the sampled instruction to the outermost frame, by tables, and by frame pointers where
// code has none. Foreign bytes: whatever registers and stack hold, a walk ends.
#pragma once

#include <cstdint>
#include <vector>

#include "daemon/unwind/stack_memory.h"
#include "daemon/unwind/unwind_rule.h"
#include "libop/base/address.h"
#include "libop/stacks/stack_end.h"
#include "libop/stream/user_stack.h"

namespace op::collect {

/// What is known of an address.
struct CodePlace {
    bool is_code = false;  ///< in an executable mapping
    UnwindRule rule;       ///< no_info where there is no table
    /// A function begins behind the address, and no call ends there: an address that a program put on its
    /// stack as if it were where a call returns to.
    bool is_before_start = false;
    bool is_run_time = false;  ///< made at run time: in no file
};

/// Finds the rule for an address of one process.
class CodeFinder {
public:
    virtual ~CodeFinder() = default;
    virtual CodePlace find(RuntimeAddress address) = 0;
    /// The rule for an address with another register in the place of the frame pointer: `fp` is where that
    /// register is kept. `no_info` or `unsupported` where that is not known.
    virtual UnwindRule find_register(RuntimeAddress, uint8_t /*number*/) { return {}; }
    /// The rule for an instruction of code without a table, by the instructions themselves; `no_info` if they
    /// do not show it.
    virtual UnwindRule read_code(RuntimeAddress) { return {}; }
    /// The rule for an instruction of run-time code by the entry of its function; `no_info` if that is not
    /// found, or shows a frame that the frame pointer finds.
    virtual UnwindRule find_by_entry(RuntimeAddress) { return {}; }
    /// True if the call that ends before `returns_to` is known to lead to code that lies shortly before the
    /// address.
    virtual bool is_entered_by(RuntimeAddress /*returns_to*/, RuntimeAddress) { return false; }
    /// True if it is known that nothing returns to the address: no call ends before it.
    virtual bool is_after_no_call(RuntimeAddress) { return false; }
};

/// One frame of a walked stack.
struct WalkedFrame {
    RuntimeAddress pc;
    bool is_exact = false;  ///< pc is the next instruction, not where a call returns to
};

/// Walks stacks of one machine. Not thread-safe.
class Unwinder {
public:
    static constexpr size_t deepest = 1024;  ///< frames

    explicit Unwinder(const UnwindMachine& machine) : machine_(machine) {}

    /// Replaces `frames` by the stack's, innermost first, and reports why there are no more.
    StackEnd walk(const UserRegisters& registers, const StackMemory& stack, CodeFinder& code,
                  std::vector<WalkedFrame>& frames);

    /// The same for a 32-bit program of an x86 machine, by frame pointers alone. Never reports `root`: they
    /// do not show where a stack ends.
    StackEnd walk_32_bit(const UserRegisters& registers, const StackMemory& stack, CodeFinder& code,
                         std::vector<WalkedFrame>& frames) const;

private:
    struct Cursor;

    StackEnd walk(Cursor& at, CodeFinder& code, std::vector<WalkedFrame>& frames) const;

    UnwindMachine machine_;
};

}  // namespace op::collect
