// SPDX-License-Identifier: GPL-2.0-or-later
// Merging by a look at the head of each ring: there are as many as CPUs, and most are empty.
#include "daemon/perf/perf_merger.h"

#include <utility>

namespace op::collect {
namespace {

constexpr size_t batch_limit = 512;

}  // namespace

void PerfMerger::add_ring(uint32_t cpu, PerfRing ring) {
    lanes_.push_back({cpu, std::move(ring), {}});
}

/// Decodes the record that is next in the ring, if there is one of interest.
void PerfMerger::advance(Lane& lane) {
    lane.has_next = false;
    while (const perf_event_header* header = lane.ring.peek()) {
        auto decoded = decoder_.decode(*header, chains_);
        if (!decoded) {
            lane.ring.pop();
            continue;
        }
        lane.next = *decoded;
        if (auto* lost = std::get_if<Lost>(&lane.next.record);
            lost && lost->cause == LossCause::damaged_stream)
            lost->cpu = lane.cpu;
        lane.has_next = true;
        return;
    }
}

PerfMerger::Lane* PerfMerger::earliest(uint64_t until) {
    Lane* best = nullptr;
    for (Lane& lane : lanes_)
        if (lane.has_next && (!best || lane.next.time < best->next.time)) best = &lane;
    return best && best->next.time <= until ? best : nullptr;
}

void PerfMerger::merge(uint64_t until, std::vector<Record>& out) {
    chains_.clear();
    for (Lane& lane : lanes_) {
        if (const uint64_t cuts = lane.ring.take_cuts())
            out.push_back(Lost{cuts, lane.cpu, LossCause::damaged_stream});
        lane.ring.release();
        lane.ring.update();
        advance(lane);
    }
    // One record at least: on a machine with many processors those that are next may fill the room.
    while (out.size() < batch_limit && (out.empty() || chains_.has_room())) {
        Lane* lane = earliest(until);
        if (!lane) return;
        if (lane->next.had_no_room) lane->reported += std::get<Lost>(lane->next.record).count;
        decoder_.deliver(lane->next, out);
        lane->ring.pop();
        advance(*lane);
    }
}

std::vector<Lost> PerfMerger::unreported_losses(std::span<const uint64_t> lost) {
    std::vector<Lost> losses;
    for (size_t i = 0; i < lanes_.size(); ++i) {
        Lane& lane = lanes_[i];
        if (const uint64_t cuts = lane.ring.take_cuts())
            losses.push_back({cuts, lane.cpu, LossCause::damaged_stream});
        if (i >= lost.size() || lost[i] <= lane.reported) continue;
        losses.push_back({lost[i] - lane.reported, lane.cpu, LossCause::kernel_buffer});
        lane.reported = lost[i];
    }
    return losses;
}

}  // namespace op::collect
