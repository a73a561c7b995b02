// SPDX-License-Identifier: GPL-2.0-or-later
// Overlapping ranges cut into parts, once, so that finding is a binary search.
#include "libpp/range_map.h"

#include <algorithm>
#include <queue>

namespace op::pp {

namespace {

/// Every address at which another range may begin to count, sorted.
std::vector<uint64_t> boundaries(const std::vector<RangeMap::Range>& ranges) {
    std::vector<uint64_t> all;
    all.reserve(ranges.size() * 2);
    for (const auto& range : ranges) {
        all.push_back(range.start);
        all.push_back(range.end);
    }
    std::ranges::sort(all);
    const auto repeated = std::ranges::unique(all);
    all.erase(repeated.begin(), repeated.end());
    return all;
}

}  // namespace

RangeMap::RangeMap(std::vector<Range> ranges) {
    std::erase_if(ranges, [](const Range& range) { return range.start >= range.end; });
    std::ranges::sort(ranges, {}, &Range::start);
    const auto is_lower = [](const Range& a, const Range& b) { return a.number < b.number; };
    std::priority_queue<Range, std::vector<Range>, decltype(is_lower)> open(is_lower);
    auto next = ranges.begin();
    for (const uint64_t at : boundaries(ranges)) {
        for (; next != ranges.end() && next->start == at; ++next)
            open.push(*next);
        while (!open.empty() && open.top().end <= at)
            open.pop();
        const Part part = open.empty() ? Part{at, 0, true} : Part{at, open.top().number, false};
        const bool is_same =
            !parts_.empty() && parts_.back().number == part.number && parts_.back().is_gap == part.is_gap;
        if (!is_same) parts_.push_back(part);
    }
    parts_.shrink_to_fit();
}

std::optional<uint32_t> RangeMap::find(uint64_t address) const {
    const auto next = std::ranges::upper_bound(parts_, address, {}, &Part::start);
    if (next == parts_.begin() || std::prev(next)->is_gap) return std::nullopt;
    return std::prev(next)->number;
}

}  // namespace op::pp
