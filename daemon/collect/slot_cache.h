// SPDX-License-Identifier: GPL-2.0-or-later
// Ranges of addresses whose sample file is known: most samples need no other lookup. All inline, because
// every sample passes here.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "daemon/collect/sample_files.h"
#include "libop/base/address.h"
#include "libop/stream/record.h"

namespace op::collect {

/// A range of addresses of one process and event: of run-time addresses or, if `placed`, of offsets as the
/// driver gives them.
struct alignas(64) Slot {
    uint64_t start = 0, end = 0;
    uint64_t delta = 0;          ///< key in the sample file = address + delta
    SampleFile* file = nullptr;  ///< null = the application is not wanted
    uint64_t generation = 0;     ///< the collector's at the lookup
    uint32_t tgid = 0, tid = 0, cpu = 0;
    uint32_t app = 0;  ///< placed samples: the application's cookie
    union {
        uint32_t cookie = 0;  ///< if `placed`: the image's
        uint32_t counter;     ///< else: CommandNames::counter()
    };
    uint16_t event = 0;
    CpuMode mode = CpuMode::user;
    bool placed = false;  ///< which of the union's members is there

    bool holds(uint64_t address) const noexcept { return start <= address && address < end; }
};
static_assert(sizeof(Slot) == 64);  // one line of the processor's cache

/// Direct-mapped: by process and part of the address space; for placed samples by cookies. Not thread-safe.
class SlotCache {
public:
    /// Whether threads and CPUs have sample files of their own.
    SlotCache(bool by_thread, bool by_cpu) : by_thread_(by_thread), by_cpu_(by_cpu), slots_(size) {}

    /// The one slot that may hold the sample.
    Slot& slot_for(const Sample& sample) noexcept {
        const uint64_t mixed = (sample.pc.value() >> piece_shift) ^ static_cast<uint64_t>(sample.tgid) << 40;
        return slots_[mixed * multiplier >> 32 & (size - 1)];
    }
    Slot& slot_for(const PlacedSample& sample) noexcept {
        uint64_t mixed = sample.place.cookie ? sample.place.cookie : sample.place.offset >> piece_shift;
        mixed ^= static_cast<uint64_t>(sample.app) << 32 ^ static_cast<uint64_t>(sample.event) << 24;
        if (by_thread_) mixed += static_cast<uint64_t>(sample.tid) << 40;
        if (by_cpu_) mixed += static_cast<uint64_t>(sample.cpu) << 28;
        return slots_[mixed * multiplier >> 32 & (size - 1)];
    }

    /// True if the slot's file is the sample's. `generation`: the collector's, of the sample's process.
    bool holds(const Slot& slot, const Sample& sample, uint64_t generation) const noexcept {
        return slot.holds(sample.pc.value()) && slot.tgid == sample.tgid && !slot.placed &&
               holds_rest(slot, sample, generation);
    }
    bool holds(const Slot& slot, const PlacedSample& sample, uint64_t generation) const noexcept {
        return slot.placed && slot.cookie == sample.place.cookie && slot.app == sample.app &&
               slot.holds(sample.place.offset) && holds_rest(slot, sample, generation);
    }

    void clear() { std::ranges::fill(slots_, Slot{}); }

private:
    static constexpr size_t size = 4096;
    static_assert(std::has_single_bit(size));  // a slot's number is some bits of a product
    /// Size of the pieces by which regions are looked up, as a power of two: libraries' text is a few of
    /// them.
    static constexpr uint64_t piece_shift = 18;
    static constexpr uint64_t multiplier = 0x9e3779b97f4a7c15;  ///< 2^64 / golden ratio: Fibonacci hashing

    template <class S>
    bool holds_rest(const Slot& slot, const S& sample, uint64_t generation) const noexcept {
        return slot.event == sample.event && slot.mode == sample.mode && slot.generation == generation &&
               (!by_thread_ || (slot.tid == sample.tid && slot.tgid == sample.tgid)) &&
               (!by_cpu_ || slot.cpu == sample.cpu);
    }

    bool by_thread_, by_cpu_;
    std::vector<Slot> slots_;
};

}  // namespace op::collect
