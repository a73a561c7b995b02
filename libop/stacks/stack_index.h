// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the numbers of entries by their keys: a hash table with open addressing, in memory only. Beside each
// number are ten bits of its key's hash, so that hardly ever another entry than the wanted one is looked at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "libop/stacks/stack_frame.h"

namespace op {

/// The entries are the caller's: entry n is entries[n], from 1, and its key is that without its low bits.
/// Whatever the entries become, no search is endless. Takes 5 to 11 bytes an entry. Not thread-safe.
class StackIndex {
public:
    /// `low_bits` of an entry do not belong to its key.
    explicit StackIndex(unsigned low_bits) noexcept;

    /// The number of the entry with that key; 0 = no entry has it.
    uint32_t find(const uint64_t* entries, uint64_t key) const noexcept {
        if (!slots_) return 0;
        const uint32_t slot = slots_[place_of(entries, key)];
        return slot & most_stack_entries;
    }
    /// Makes room for `more` keys; false if there is no memory.
    bool reserve(const uint64_t* entries, uint32_t more) noexcept;
    /// Makes `number` that of a key, new or known. There must be room for one more.
    void put(const uint64_t* entries, uint64_t key, uint32_t number) noexcept;

private:
    /// Strangers choose the keys, but not the factor.
    uint64_t hash(uint64_t key) const noexcept {
        const uint64_t product = key * factor_;
        return (product ^ product >> 32) * 0x9E3779B97F4A7C15;
    }
    static uint32_t tag_of(uint64_t hash) noexcept {
        return static_cast<uint32_t>(hash >> 8) & ~most_stack_entries;
    }
    /// The slot of a key, or the empty one where it would be.
    size_t place_of(const uint64_t* entries, uint64_t key) const noexcept {
        const uint64_t h = hash(key);
        const uint32_t tag = tag_of(h);
        for (size_t at = h >> shift_;; at = (at + 1) & mask_) {
            const uint32_t slot = slots_[at];
            if (slot == 0) return at;
            if ((slot & ~most_stack_entries) != tag) continue;
            const uint64_t entry = __atomic_load_n(&entries[slot & most_stack_entries], __ATOMIC_RELAXED);
            if (entry >> low_bits_ == key) return at;
        }
    }
    bool resize(const uint64_t* entries, size_t slots) noexcept;

    const unsigned low_bits_;
    const uint64_t factor_;
    std::unique_ptr<uint32_t[]> slots_;  ///< tag << 22 | number; 0 = empty
    size_t mask_ = 0;
    unsigned shift_ = 64;
    size_t used_ = 0;
};

}  // namespace op
