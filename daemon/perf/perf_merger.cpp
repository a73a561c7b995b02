// SPDX-License-Identifier: GPL-2.0-or-later
// Merging by a look at the times of all rings' heads, which are side by side in memory: most rings are empty.
#include "daemon/perf/perf_merger.h"

#include <algorithm>
#include <utility>

namespace op::collect {
namespace {

constexpr size_t batch_limit = 512;
constexpr uint64_t never = UINT64_MAX;

}  // namespace

/// The number of losses that are news, of `total` since the beginning.
uint64_t PerfMerger::Lane::note_lost(uint64_t total) {
    const uint64_t before = std::exchange(known, std::max(known, total));
    return known - before;
}

void PerfMerger::add(uint32_t cpu, PerfRing ring, bool is_side_band) {
    lanes_.push_back({cpu, std::move(ring), is_side_band, {}});
    times_.push_back(never);
}

/// Decodes the record that is next in the ring, if there is one of interest; again if it waits since the last
/// call.
void PerfMerger::advance(size_t i) {
    Lane& lane = lanes_[i];
    times_[i] = never;
    while (const perf_event_header* header = lane.ring.peek()) {
        auto decoded = decoder_.decode(*header, chains_);
        lane.pending = 0;
        if (decoded) {
            lane.next = *decoded;
            if (complete_next(lane)) {
                times_[i] = std::min(lane.next.time, never - 1);
                return;
            }
        }
        pop(lane);
    }
}

/// Fills in what only the lane knows of a loss; false if it is known already. One of the side band is still
/// delivered, without a count: only its record shows since when the processes may have changed.
bool PerfMerger::complete_next(Lane& lane) {
    if (std::holds_alternative<LostSideBand>(lane.next.record)) {
        lane.next.time = lane.last_time;
        return true;
    }
    auto* const lost = std::get_if<Lost>(&lane.next.record);
    if (!lost) {
        lane.last_time = lane.next.time;
        return true;
    }
    if (lane.next.had_no_room) {
        lane.pending = lost->count;
        const uint64_t total = lane.recorded + lost->count;
        if (total <= lane.known && !lane.is_side_band) return false;
        lost->count = total - std::min(total, lane.known);
    }
    if (lost->cause == LossCause::damaged_stream) lost->cpu = lane.cpu;
    if (lane.is_side_band) lane.next = {.time = lane.last_time, .record = LostSideBand{lost->count}};
    return true;
}

void PerfMerger::pop(Lane& lane) {
    lane.recorded += lane.pending;
    lane.note_lost(lane.recorded);
    lane.ring.pop();
}

/// The lane whose next record is the earliest one; the number of lanes if all are later than `until`.
size_t PerfMerger::earliest(uint64_t until) const {
    const auto best = std::ranges::min_element(times_);
    if (best == times_.end() || *best == never || *best > until) return lanes_.size();
    return static_cast<size_t>(best - times_.begin());
}

void PerfMerger::note_cuts(Lane& lane, std::vector<Record>& out) {
    const uint64_t cuts = lane.ring.take_cuts();
    if (cuts == 0) return;
    if (lane.is_side_band)
        out.push_back(LostSideBand{cuts});
    else
        out.push_back(Lost{cuts, lane.cpu, LossCause::damaged_stream});
}

void PerfMerger::merge(uint64_t until, std::vector<Record>& out) {
    chains_.clear();
    for (size_t i = 0; i < lanes_.size(); ++i) {
        note_cuts(lanes_[i], out);
        lanes_[i].ring.release();
        lanes_[i].ring.update();
        if (!lanes_[i].is_side_band) fullness_ = std::max(fullness_, lanes_[i].ring.fullness());
        advance(i);
    }
    // One record at least: on a machine with many processors those that are next may fill the room.
    while (out.size() < batch_limit && (out.empty() || chains_.has_room())) {
        const size_t i = earliest(until);
        if (i == lanes_.size()) return;
        decoder_.deliver(lanes_[i].next, out);
        pop(lanes_[i]);
        advance(i);
    }
}

std::vector<Lost> PerfMerger::unreported_losses(std::span<const uint64_t> lost) {
    std::vector<Lost> losses;
    size_t i = 0;
    for (Lane& lane : lanes_) {
        if (lane.is_side_band) continue;
        if (const uint64_t cuts = lane.ring.take_cuts())
            losses.push_back({cuts, lane.cpu, LossCause::damaged_stream});
        const uint64_t total = i < lost.size() ? lost[i] : 0;
        ++i;
        if (const uint64_t news = lane.note_lost(total))
            losses.push_back({news, lane.cpu, LossCause::kernel_buffer});
    }
    return losses;
}

uint64_t PerfMerger::unreported_side_band(std::span<const uint64_t> lost) {
    uint64_t sum = 0;
    size_t i = 0;
    for (Lane& lane : lanes_) {
        if (!lane.is_side_band) continue;
        sum += lane.ring.take_cuts();
        if (i < lost.size()) sum += lane.note_lost(lost[i]);
        ++i;
    }
    return sum;
}

}  // namespace op::collect
