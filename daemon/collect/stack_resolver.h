// SPDX-License-Identifier: GPL-2.0-or-later
// Walks the stacks of samples that are kept in a file until they are collected: a copy of a stack never
// reaches a disk.
#pragma once

#include <cstdint>
#include <vector>

#include "daemon/collect/process_table.h"
#include "daemon/collect/stack_walker.h"
#include "libop/stream/record.h"

namespace op::collect {

/// Follows processes by the records that pass. Not thread-safe.
class StackResolver {
public:
    /// `exec_code` as of StackWalker.
    explicit StackResolver(const KernelRange* exec_code = nullptr) : walker_(table_, true, exec_code) {}

    /// The record as it may be written: a sample has its whole chain, and the reason why it ends. Views in it
    /// are valid until the next call.
    Record resolve(const Record& record);
    /// See StackWalker.
    bool take_stack_wish() noexcept { return walker_.take_stack_wish(); }

private:
    ProcessTable table_;
    StackWalker walker_;
    std::vector<uint64_t> chain_;
};

}  // namespace op::collect
