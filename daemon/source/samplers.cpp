// SPDX-License-Identifier: GPL-2.0-or-later
// Events by sampler.
#include "daemon/source/samplers.h"

#include <algorithm>

#include "libop/base/error.h"
#include "libop/base/text.h"

namespace op::collect {

size_t opened_for(const std::vector<EventEncoding>& encodings, size_t i) {
    const Sampler sampler = encodings.at(i).sampler;
    if (sampler == Sampler::counter) return i;
    return std::ranges::find(encodings, sampler, &EventEncoding::sampler) - encodings.begin();
}

std::vector<Sampling> samplings_of(const std::vector<RecordedEvent>& events,
                                   const std::vector<EventEncoding>& encodings) {
    std::vector<Sampling> samplings;
    for (size_t i = 0; i < events.size(); ++i) {
        const Sampler sampler = encodings.at(i).sampler;
        if (sampler == Sampler::counter) continue;
        const IbsEvent* const how = find_ibs_event(sampler, events[i].code);
        if (!how)
            throw_usage("event '" + printable(events[i].name) +
                        "': which samples are such events is not known");
        const auto index = static_cast<uint16_t>(i);
        auto sampling = std::ranges::find(samplings, sampler, &Sampling::sampler);
        if (sampling == samplings.end()) sampling = samplings.insert(sampling, {index, sampler, {}});
        sampling->events.push_back({index, how, events[i].kernel, events[i].user});
    }
    return samplings;
}

template <class S>
void derive_samples(const Sampling& sampling, std::span<const std::byte> raw, S sample,
                    std::vector<Record>& out) {
    const auto registers = parse_ibs_sample(sampling.sampler, raw);
    if (!registers) return out.push_back(Lost{1, sample.cpu, LossCause::damaged_stream});
    for (const DerivedEvent& derived : sampling.events) {
        if (!(sample.mode == CpuMode::user ? derived.user : derived.kernel)) continue;
        sample.event = derived.event;
        sample.weight = derived.how->weight(*registers);
        if (sample.weight != 0) out.push_back(sample);
    }
}

template void derive_samples(const Sampling&, std::span<const std::byte>, Sample, std::vector<Record>&);
template void derive_samples(const Sampling&, std::span<const std::byte>, PlacedSample, std::vector<Record>&);

void derive_throttles(const Sampling& sampling, const Throttle& throttle, std::vector<Record>& out) {
    for (const DerivedEvent& derived : sampling.events)
        out.push_back(Throttle{throttle.time, throttle.cpu, derived.event, throttle.on});
}

}  // namespace op::collect
