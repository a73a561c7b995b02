// SPDX-License-Identifier: GPL-2.0-or-later
// The records of all CPUs' rings in the order of their times. Does not open rings, nor know the time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "daemon/perf/perf_decode.h"
#include "daemon/perf/perf_ring.h"

namespace op::collect {

/// Merges rings, each of which is in time order. What a ring or the kernel lost becomes Lost records. Not
/// thread-safe.
class PerfMerger {
public:
    explicit PerfMerger(PerfDecoder decoder) : decoder_(std::move(decoder)) {}

    /// Adds the ring of a CPU. Of records of equal time, those of the ring added first come first.
    void add_ring(uint32_t cpu, PerfRing ring);

    /// Appends the next records up to and with time `until` (ns) and gives the room of those appended before
    /// back to the kernel. Stops when `out` has grown long; call it until it appends nothing. What is written
    /// to a ring during the call waits for the next one. The views in the records are valid until then.
    void merge(uint64_t until, std::vector<Record>& out);

    /// Losses that no record reported. `lost`: by ring in the order of adding, the samples that found no room
    /// since the beginning by the kernel's own count, 0 where it keeps none. A loss is returned once.
    std::vector<Lost> unreported_losses(std::span<const uint64_t> lost);

private:
    /// A CPU's ring with the record that is next in it.
    struct Lane {
        uint32_t cpu;
        PerfRing ring;
        PerfDecoder::Decoded next;
        bool has_next = false;
        uint64_t reported = 0;  ///< samples for which there was no room, in Lost records so far
    };

    void advance(Lane& lane);
    Lane* earliest(uint64_t until);

    PerfDecoder decoder_;
    std::vector<Lane> lanes_;
    ChainArena chains_;
};

}  // namespace op::collect
