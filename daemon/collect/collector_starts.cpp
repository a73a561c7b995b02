// SPDX-License-Identifier: GPL-2.0-or-later
// The kernel's work between exec and the first mapping is the new program's, which only that mapping names.
#include "daemon/collect/collector.h"

namespace op::collect {

/// What is in doubt is asked for instead, see resolve_doubt().
bool Collector::is_starting(uint32_t tgid) const {
    const Process* const process = table_.find(tgid);
    return process && process->awaiting_executable && !process->ended() && !table_.is_in_doubt(tgid);
}

/// False if the sample has to be taken at once.
bool Collector::hold_until_started(const Sample& sample) {
    return sample.mode == CpuMode::kernel && is_starting(sample.tgid) && starting_.hold(sample);
}

void Collector::store_started() {
    store_all(starting_.release([this](uint32_t tgid) { return is_starting(tgid); }));
}

void Collector::store_starting() {
    store_all(starting_.release([](uint32_t) { return false; }));
}

void Collector::store_all(const std::vector<StartingSample>& samples) {
    for (const StartingSample& held : samples) {
        const Sample sample = held.sample();
        Slot& slot = cache_.slot_for(sample);
        take(sample, slot, cache_.holds(slot, sample, generation(sample)));
    }
}

}  // namespace op::collect
