// SPDX-License-Identifier: GPL-2.0-or-later
// The records of all CPUs' rings in the order of their times. Does not open rings, nor know the time.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "daemon/perf/perf_decode.h"
#include "daemon/perf/perf_ring.h"

namespace op::collect {

/// Merges rings, each of which is in time order. What a ring or the kernel lost becomes Lost records or, of a
/// ring of the side band, LostSideBand records. Not thread-safe.
class PerfMerger {
public:
    explicit PerfMerger(PerfDecoder decoder) : decoder_(std::move(decoder)) {}

    /// Adds the ring of a CPU's samples. Of records of equal time, those of the ring added first come first:
    /// the rings of the side band should be.
    void add_ring(uint32_t cpu, PerfRing ring) { add(cpu, std::move(ring), false); }
    /// Adds the ring of a CPU's side band. Its losses come at the time of the record before them, since when
    /// the processes may have changed.
    void add_side_band(uint32_t cpu, PerfRing ring) { add(cpu, std::move(ring), true); }

    /// Appends the next records up to and with time `until` (ns) and gives the room of those appended before
    /// back to the kernel. Stops when `out` has grown long; call it until it appends nothing. What is written
    /// to a ring during the call waits for the next one. The views in the records are valid until then.
    void merge(uint64_t until, std::vector<Record>& out);

    /// How full the fullest ring of samples was when it was looked at since the last call, in percent.
    unsigned take_fullness() noexcept { return std::exchange(fullness_, 0); }
    /// Losses of samples that no record reported. `lost`: by ring of samples in the order of adding, those
    /// that found no room since the beginning by the kernel's own count, 0 where it keeps none. A loss is
    /// returned once.
    std::vector<Lost> unreported_losses(std::span<const uint64_t> lost);
    /// The same for the side band: the number of its records. Of those that a record reports later, that
    /// record is delivered in its place with a count of 0.
    uint64_t unreported_side_band(std::span<const uint64_t> lost);

private:
    /// A CPU's ring with the record that is next in it.
    struct Lane {
        uint32_t cpu;
        PerfRing ring;
        bool is_side_band;
        PerfDecoder::Decoded next;
        uint64_t last_time = 0;  ///< of the side band's last record
        uint64_t recorded = 0;   ///< records for which there was no room, by the ring's own records of losses
        uint64_t known = 0;      ///< by these or by the kernel's count
        uint64_t pending = 0;    ///< by the next record, if it is of such losses

        uint64_t note_lost(uint64_t total);
    };

    void add(uint32_t cpu, PerfRing ring, bool is_side_band);
    void advance(size_t lane);
    static bool complete_next(Lane& lane);
    static void pop(Lane& lane);
    size_t earliest(uint64_t until) const;
    static void note_cuts(Lane& lane, std::vector<Record>& out);

    PerfDecoder decoder_;
    std::vector<Lane> lanes_;
    std::vector<uint64_t> times_;  ///< by lane: of its next record; UINT64_MAX = there is no record
    ChainArena chains_;
    unsigned fullness_ = 0;  ///< see take_fullness()
};

}  // namespace op::collect
