// SPDX-License-Identifier: GPL-2.0-or-later
// Regions in a tree, by start.
#include "daemon/collect/address_space.h"

#include <iterator>
#include <utility>

namespace op::collect {

void AddressSpace::map(const Region& region) {
    if (region.start >= region.end) return;
    regions_.emplace_hint(cut(region.start, region.end), region.start, region);
}

void AddressSpace::unmap(RuntimeAddress start, RuntimeAddress end) {
    if (start < end) cut(start, end);
}

const Region* AddressSpace::find(RuntimeAddress pc) const noexcept {
    const auto next = regions_.upper_bound(pc);
    if (next == regions_.begin()) return nullptr;
    const Region& region = std::prev(next)->second;
    return pc < region.end ? &region : nullptr;
}

/// Removes what lies in [start, end). Returns the first region behind it.
AddressSpace::Regions::iterator AddressSpace::cut(RuntimeAddress start, RuntimeAddress end) {
    const auto first = split(start);
    return regions_.erase(first, split(end));
}

/// Makes two regions of one that begins before the address and ends behind it. Returns the first region that
/// does not begin before it.
AddressSpace::Regions::iterator AddressSpace::split(RuntimeAddress at) {
    const auto next = regions_.lower_bound(at);
    if (next == regions_.begin()) return next;
    Region& region = std::prev(next)->second;
    if (region.end <= at) return next;
    Region rest = region;
    if (rest.kind != RegionKind::anon) rest.file_offset += at - rest.start;
    rest.start = region.end = at;
    return regions_.emplace_hint(next, at, std::move(rest));
}

}  // namespace op::collect
