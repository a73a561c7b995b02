// SPDX-License-Identifier: GPL-2.0-or-later
// Samples of the kernel while it starts a program, between exec and the first mapping, which names the
// program.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "libop/stream/record.h"

namespace op::collect {

/// A copy of a sample, with the kernel's callers alone: the registers at that time are those of the program
/// that called exec.
class StartingSample {
public:
    explicit StartingSample(const Sample& sample)
        : sample_(sample),
          callers_(sample.chain.begin(),
                   sample.chain.begin() + static_cast<std::ptrdiff_t>(
                                              std::min<size_t>(sample.kernel_frames, sample.chain.size()))) {
        if (sample.user_stack) sample_.stack_end = StackEnd::root;
        sample_.user_stack = nullptr;
        sample_.chain = {};
    }
    /// Its views are valid as long as this object.
    Sample sample() const noexcept {
        Sample whole = sample_;
        whole.chain = callers_;
        return whole;
    }

private:
    Sample sample_;
    std::vector<uint64_t> callers_;  ///< addresses, innermost first
};

/// Not thread-safe.
class StartingPrograms {
public:
    /// A start takes some 100 us. Processes come from whoever runs programs.
    static constexpr size_t most_processes = 256, most_samples = 4096;

    bool empty() const noexcept { return samples_ == 0; }
    /// Returns false if there is no room.
    bool hold(const Sample& sample) {
        if (samples_ == most_samples) return false;
        if (held_.size() == most_processes && !held_.contains(sample.tgid)) return false;
        held_[sample.tgid].emplace_back(sample);
        ++samples_;
        return true;
    }
    /// Removes the samples of processes for which `is_starting(tgid)` is false, and returns them.
    template <class IsStarting>
    std::vector<StartingSample> release(const IsStarting& is_starting) {
        std::vector<StartingSample> released;
        std::erase_if(held_, [&](auto& each) {
            if (is_starting(each.first)) return false;
            std::ranges::move(each.second, std::back_inserter(released));
            return true;
        });
        samples_ -= released.size();
        return released;
    }

private:
    std::map<uint32_t, std::vector<StartingSample>> held_;  ///< by process
    size_t samples_ = 0;
};

}  // namespace op::collect
