// SPDX-License-Identifier: GPL-2.0-or-later
// The account of call stacks, beside that of samples.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "libop/session/ledger.h"

namespace op {

/// What became of the samples that had a call stack. All numbers are samples and saturate.
struct StackAccount {
    uint64_t complete = 0;                            ///< stored, from the root on
    std::map<std::string, uint64_t> incomplete = {};  ///< stored, by the reason's name (stack_end_name)
    uint64_t cut = 0;   ///< of all those stored, the ones without their inner frames, for want of room
    uint64_t lost = 0;  ///< not stored: no room at all, or a count at its maximum

    /// complete + sum of incomplete.
    uint64_t stored() const noexcept {
        uint64_t sum = complete;
        for (const auto& [reason, samples] : incomplete)
            sum = add_saturating(sum, samples);
        return sum;
    }
    bool is_empty() const noexcept { return stored() == 0 && cut == 0 && lost == 0; }
    /// Adds another account.
    void merge(const StackAccount& other) {
        complete = add_saturating(complete, other.complete);
        for (const auto& [reason, samples] : other.incomplete) {
            uint64_t& sum = incomplete[reason];
            sum = add_saturating(sum, samples);
        }
        cut = add_saturating(cut, other.cut);
        lost = add_saturating(lost, other.lost);
    }
    bool operator==(const StackAccount&) const = default;
};

}  // namespace op
