// SPDX-License-Identifier: GPL-2.0-or-later
// Sections as ranges.
#include "libpp/object/section_finder.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace op::pp {

SectionFinder::SectionFinder(std::span<const Section> sections) : sections_(sections) {
    std::vector<RangeMap::Range> ranges;
    for (size_t i = 0; i < sections.size(); ++i) {
        const uint64_t start = sections[i].address.value(), size = sections[i].bytes.size();
        // Counted from the last: of several RangeMap finds the one with the highest number.
        const auto number = static_cast<uint32_t>(sections.size() - 1 - i);
        if (sections[i].code) ranges.push_back({start, start + std::min(size, UINT64_MAX - start), number});
    }
    by_address_ = RangeMap(std::move(ranges));
}

const Section* SectionFinder::find(LinkAddress address) const {
    const auto number = by_address_.find(address.value());
    return number ? &sections_[sections_.size() - 1 - *number] : nullptr;
}

}  // namespace op::pp
