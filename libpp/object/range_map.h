// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the range that contains an address; ranges may be nested.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace op::pp {

/// Numbered ranges; immutable. If several overlap, the one with the highest number is found. If the numbers
/// grow from the outside to the inside, that is the innermost one.
class RangeMap {
public:
    struct Range {
        uint64_t start, end;  ///< half-open
        uint32_t number;
    };

    RangeMap() = default;
    /// Ranges in any order; those without an address are ignored.
    explicit RangeMap(std::vector<Range> ranges);

    bool empty() const noexcept { return parts_.empty(); }
    /// The number of the range that holds the address.
    std::optional<uint32_t> find(uint64_t address) const;

private:
    /// Up to the next part, one range is found, or no range.
    struct Part {
        uint64_t start;
        uint32_t number;
        bool is_gap;
    };
    std::vector<Part> parts_;  ///< sorted by start
};

}  // namespace op::pp
