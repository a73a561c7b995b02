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
};

/// Finds the rule for an address of one process.
class CodeFinder {
public:
    virtual ~CodeFinder() = default;
    virtual CodePlace find(RuntimeAddress address) = 0;
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

    UnwindMachine machine_;
};

}  // namespace op::collect
