// SPDX-License-Identifier: GPL-2.0-or-later
// Events by sampler.
#include "daemon/perf/samplers.h"

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

}  // namespace op::collect
