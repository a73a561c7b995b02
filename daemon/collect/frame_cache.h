// SPDX-License-Identifier: GPL-2.0-or-later
// Frames of call stacks by address, so that each is looked up once while a program stays as it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "libop/stacks/stack_frame.h"

namespace op::collect {

/// Remembers the last frame for each slot. Not thread-safe.
class FrameCache {
public:
    /// No entry with it is found.
    static constexpr uint64_t no_generation = ~uint64_t{0};

    struct Entry {
        uint64_t address = 0;
        uint64_t generation = no_generation;  ///< of what the frame was found by
        uint32_t tgid = 0;
        uint32_t cookie = 0;  ///< of the driver's image that the address is an offset in; 0 = none
        StackFrame frame = {};

        bool holds(uint64_t a, uint32_t in, uint32_t process, uint64_t now) const noexcept {
            return address == a && cookie == in && tgid == process && generation == now;
        }
    };

    /// Where the frame of an address is, or belongs. Takes its memory at the first call.
    Entry& entry_for(uint64_t address, uint32_t tgid) {
        if (entries_.empty()) entries_.resize(size);
        const uint64_t hash = (address ^ uint64_t{tgid} << 40) * 0x9e3779b97f4a7c15;
        return entries_[hash >> 32 & (size - 1)];
    }

    void clear() { entries_.assign(entries_.size(), {}); }

private:
    static constexpr size_t size = size_t{1} << 13;  ///< a power of two

    std::vector<Entry> entries_;
};

}  // namespace op::collect
