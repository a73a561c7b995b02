// SPDX-License-Identifier: GPL-2.0-or-later
// Regions in a tree, by start.
#include "daemon/collect/address_space.h"

#include <iterator>

namespace op::collect {
namespace {

/// Of a region in the tree, with what the allocator adds, and the rest of its image.
constexpr uint64_t fixed_bytes = 128;

uint64_t bytes_of(const Region& region) {
    return fixed_bytes + 2 * region.image->name.size();  // the pool's key contains the name again
}

}  // namespace

AddressSpace::AddressSpace(const AddressSpace& other) : regions_(other.regions_), sum_(other.sum_) {
    add_bytes(other.bytes_);
}

void AddressSpace::clear() noexcept {
    regions_.clear();
    add_bytes(-bytes_);
}

/// Modulo 2^64: what is added may be negative.
void AddressSpace::add_bytes(uint64_t bytes) noexcept {
    bytes_ += bytes;
    if (sum_) *sum_ += bytes;
}

AddressSpace::Regions::iterator AddressSpace::insert(Regions::iterator before, const Region& region) {
    add_bytes(bytes_of(region));
    return regions_.emplace_hint(before, region.start, region);
}

void AddressSpace::map(const Region& region) {
    if (region.start >= region.end) return;
    insert(cut(region.start, region.end), region);
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
    auto first = split(start);
    for (const auto last = split(end); first != last; first = regions_.erase(first))
        add_bytes(-bytes_of(first->second));
    return first;
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
    return insert(next, rest);
}

}  // namespace op::collect
