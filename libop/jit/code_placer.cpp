// SPDX-License-Identifier: GPL-2.0-or-later
// Moments and records in order of time.
#include "libop/jit/code_placer.h"

#include <algorithm>
#include <numeric>

namespace op {

CodePlacer::CodePlacer(std::span<const CodeMoment> moments)
    : moments_(moments), by_time_(moments.size()), generations_(moments.size()) {
    std::iota(by_time_.begin(), by_time_.end(), uint32_t{0});
    std::ranges::stable_sort(by_time_, {}, [this](uint32_t i) { return moments_[i].time; });
}

/// Places what ran before that time. A record that is late by its own time counts when it comes.
void CodePlacer::advance(uint64_t time) {
    ++records_;
    while (placed_ < by_time_.size() && moments_[by_time_[placed_]].time < time)
        place_next();
}

void CodePlacer::place_next() {
    const uint32_t at = by_time_[placed_++];
    generations_[at] = static_cast<uint8_t>(history_.generation_at(moments_[at].address));
}

void CodePlacer::take(const JitLoad& load) {
    advance(load.time);
    history_.load(load.address, load.size, load.name);
}

void CodePlacer::take(const JitMove& move) {
    advance(move.time);
    history_.move(move.from, move.to, move.size);
}

void CodePlacer::take(const JitUnload& unload) {
    advance(unload.time);
    history_.unload(unload.address);
}

std::vector<uint8_t> CodePlacer::finish() {
    while (placed_ < by_time_.size())
        place_next();
    return std::move(generations_);
}

}  // namespace op
