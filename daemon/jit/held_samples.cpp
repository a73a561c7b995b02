// SPDX-License-Identifier: GPL-2.0-or-later
// A list, and where the latest of many addresses are in it.
#include "daemon/jit/held_samples.h"

#include <utility>

namespace op::collect {

bool HeldSamples::add(const HeldSample& sample) {
    const uint64_t mixed = (sample.address ^ uint64_t{sample.place} << 40) * 0x9e3779b97f4a7c15;
    uint32_t& recent = recent_[mixed >> 56];
    if (recent < samples_.size()) {
        HeldSample& known = samples_[recent];
        const bool is_close = sample.time >= known.time && sample.time - known.time < resolution;
        if (is_close && known.address == sample.address && known.place == sample.place &&
            known.weight <= UINT32_MAX - sample.weight) {
            known.weight += sample.weight;
            return false;
        }
    }
    recent = static_cast<uint32_t>(samples_.size());
    samples_.push_back(sample);
    return true;
}

std::vector<HeldSample> HeldSamples::take() {
    return std::exchange(samples_, {});
}

}  // namespace op::collect
