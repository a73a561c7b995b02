// SPDX-License-Identifier: GPL-2.0-or-later
// Overlapping ranges cut into parts, once, so that finding is a binary search. Ranges begin one after the
// other; of those that have begun and not ended, the one with the highest number counts.
#include "libpp/object/range_map.h"

#include <algorithm>
#include <queue>

namespace op::pp {

RangeMap::RangeMap(std::vector<Range> ranges) {
    std::erase_if(ranges, [](const Range& range) { return range.start >= range.end; });
    std::ranges::sort(ranges, {}, &Range::start);
    const auto is_lower = [](const Range& a, const Range& b) { return a.number < b.number; };
    std::priority_queue<Range, std::vector<Range>, decltype(is_lower)> open(is_lower);
    const auto begin_part = [&](uint64_t start) {
        const Part part = open.empty() ? Part{start, 0, true} : Part{start, open.top().number, false};
        if (!parts_.empty() && parts_.back().start == start)
            parts_.back() = part;
        else if (parts_.empty() || parts_.back().number != part.number || parts_.back().is_gap != part.is_gap)
            parts_.push_back(part);
    };
    const auto end_until = [&](uint64_t limit) {
        while (!open.empty() && open.top().end <= limit) {
            const uint64_t at = open.top().end;
            while (!open.empty() && open.top().end <= at)
                open.pop();
            begin_part(at);
        }
    };
    for (const Range& range : ranges) {
        end_until(range.start);
        open.push(range);
        begin_part(range.start);
    }
    end_until(UINT64_MAX);
    parts_.shrink_to_fit();
}

std::optional<uint32_t> RangeMap::find(uint64_t address) const {
    const auto next = std::ranges::upper_bound(parts_, address, {}, &Part::start);
    if (next == parts_.begin() || std::prev(next)->is_gap) return std::nullopt;
    return std::prev(next)->number;
}

}  // namespace op::pp
