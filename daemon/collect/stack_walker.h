// SPDX-License-Identifier: GPL-2.0-or-later
// The callers of a sample, from the copy of its stack and the unwind tables of what its process has mapped.
#pragma once

#include <cstdint>
#include <vector>

#include "daemon/collect/code_memory.h"
#include "daemon/collect/driver_maps.h"
#include "daemon/collect/frame_tables.h"
#include "daemon/collect/process_table.h"
#include "daemon/collect/stack_sizer.h"
#include "daemon/source/kernel_map.h"
#include "daemon/unwind/unwinder.h"
#include "libop/stream/record.h"

namespace op::collect {

/// Walks the stacks of one machine's programs. Not thread-safe.
class StackWalker {
public:
    /// `images_are_local` as in CollectorOptions. `exec_code` is where the kernel frees the memory of the
    /// program that called exec (ExecCodeScan), and may become known later; null = never.
    explicit StackWalker(const ProcessTable& table, bool images_are_local = true,
                         const KernelRange* exec_code = nullptr);

    /// Replaces `chain` by the sample's callers, innermost first: its kernel frames, then those of its user
    /// stack, without the sampled pc itself. Each is an address behind the code that ran: a return
    /// address, or one byte behind the start of an instruction that was interrupted. Reports why there are no
    /// more.
    StackEnd walk(const Sample& sample, std::vector<uint64_t>& chain);
    /// The same for a sample of the driver, whose mappings are `maps`; null = not known: reported as not
    /// copied.
    StackEnd walk(const PlacedSample& sample, const ProcessMaps* maps, std::vector<Place>& chain);
    /// See StackSizer.
    bool take_stack_wish() noexcept { return sizer_.take_wish(); }

private:
    class Finder;
    class TableFinder;
    class MapsFinder;

    struct CachedPlace {
        uint64_t address = 0;
        uint32_t space = 0, generation = 0;  ///< what distinguishes address spaces and their states
        CodePlace place;
    };
    static constexpr size_t cached_places = 4096;

    bool is_being_started(const Sample& sample) const;
    bool is_being_replaced(const Sample& sample) const;
    StackEnd follow(const UserStack& stack, CodeFinder& finder);

    const ProcessTable& table_;
    Unwinder unwinder_;
    FrameTables tables_;
    CodeMemory memory_;
    const KernelRange* exec_code_;
    std::vector<CachedPlace> cache_;  ///< empty before the first stack
    std::vector<WalkedFrame> frames_;
    uint64_t missed_ = 0;  ///< of the last copy that was followed, see StackMemory::missed()
    StackSizer sizer_;
};

}  // namespace op::collect
