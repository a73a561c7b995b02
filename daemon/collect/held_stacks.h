// SPDX-License-Identifier: GPL-2.0-or-later
// Call stacks that wait because frames are in code made at run time (daemon/jit/held_samples.h), by numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "daemon/collect/image_ref.h"
#include "daemon/collect/sample_names.h"
#include "libop/stacks/stack_end.h"
#include "libop/stacks/stack_frame.h"

namespace op::collect {

struct HeldStack {
    /// A frame whose image has no number yet.
    struct Code {
        uint32_t frame;  ///< an index of `frames`
        ImageRef region;

        bool operator==(const Code&) const = default;
    };

    ClassKey key;
    uint32_t app = 0, tid = 0;
    StackEnd end = {};
    uint32_t numbering = 0;           ///< StackFiles::generation() of all image numbers
    std::vector<StackFrame> frames;   ///< innermost first
    std::vector<Code> code;           ///< at least one
    std::vector<uint64_t> addresses;  ///< for each of `code`: a run-time address in its function

    bool operator==(const HeldStack&) const = default;
};

/// Not thread-safe.
class HeldStacks {
public:
    static constexpr size_t most = 65536, most_frames = size_t{1} << 20;

    /// The number of a stack, which stays the same; none if there are too many.
    std::optional<uint32_t> number(const HeldStack& stack) {
        const uint64_t hash = hash_of(stack);
        const auto [first, last] = numbers_.equal_range(hash);
        for (auto known = first; known != last; ++known)
            if (stacks_[known->second] == stack) return known->second;
        frames_ += stack.frames.size();
        if (stacks_.size() >= most || frames_ > most_frames) return std::nullopt;
        stacks_.push_back(stack);
        const auto number = static_cast<uint32_t>(stacks_.size() - 1);
        numbers_.emplace(hash, number);
        return number;
    }
    /// 0 to 4, or more once one did not fit.
    size_t quarters_full() const noexcept {
        return std::max(stacks_.size() / (most / 4), frames_ / (most_frames / 4));
    }
    const HeldStack& at(uint32_t number) const { return stacks_.at(number); }
    void clear() {
        stacks_.clear();
        numbers_.clear();
        frames_ = 0;
    }

private:
    static uint64_t hash_of(const HeldStack& stack) noexcept {
        uint64_t mixed = stack.tid;
        for (const StackFrame& frame : stack.frames)
            mixed =
                ((mixed ^ mixed >> 29) + (uint64_t{frame.image} << 40 ^ frame.offset)) * 0x9e3779b97f4a7c15;
        for (const uint64_t address : stack.addresses)
            mixed = ((mixed ^ mixed >> 29) + address) * 0x9e3779b97f4a7c15;
        return mixed;
    }

    std::vector<HeldStack> stacks_;
    std::unordered_multimap<uint64_t, uint32_t> numbers_;  ///< by hash
    size_t frames_ = 0;
};

}  // namespace op::collect
