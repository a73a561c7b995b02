// SPDX-License-Identifier: GPL-2.0-or-later
// Growing the index. It is at most three quarters full, so that every search ends at an empty slot soon.
#include "libop/stacks/stack_index.h"

#include <sys/random.h>

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

namespace op {

namespace {

constexpr size_t first_slots = 1024;

uint64_t odd_factor() noexcept {
    uint64_t factor = 0;
    if (::getrandom(&factor, sizeof factor, GRND_NONBLOCK) != sizeof factor) factor = 0xD1342543DE82EF95;
    return factor | 1;
}

}  // namespace

StackIndex::StackIndex(unsigned low_bits) noexcept : low_bits_(low_bits), factor_(odd_factor()) {}

bool StackIndex::reserve(const uint64_t* entries, uint32_t more) noexcept {
    const size_t needed = used_ + more;
    if (slots_ && needed <= (mask_ + 1) / 4 * 3) return true;
    return resize(entries, std::max(first_slots, std::bit_ceil(needed + needed / 2)));
}

bool StackIndex::resize(const uint64_t* entries, size_t slots) noexcept {
    std::unique_ptr<uint32_t[]> old(new (std::nothrow) uint32_t[slots]());
    if (!old) return false;
    std::swap(old, slots_);
    const size_t old_slots = old ? mask_ + 1 : 0;
    mask_ = slots - 1;
    shift_ = 64 - static_cast<unsigned>(std::countr_zero(slots));
    used_ = 0;
    for (size_t at = 0; at < old_slots; ++at) {
        const uint32_t number = old[at] & most_stack_entries;
        if (number == 0) continue;
        const uint64_t entry = __atomic_load_n(&entries[number], __ATOMIC_RELAXED);
        put(entries, entry >> low_bits_, number);
    }
    return true;
}

void StackIndex::put(const uint64_t* entries, uint64_t key, uint32_t number) noexcept {
    uint32_t& slot = slots_[place_of(entries, key)];
    if (slot == 0) ++used_;
    slot = tag_of(hash(key)) | number;
}

}  // namespace op
