// SPDX-License-Identifier: GPL-2.0-or-later
// Scaling counts.
#include "libpp/profile/event_scale.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "libop/session/ledger.h"

namespace op::pp {

namespace {

constexpr uint64_t most = std::numeric_limits<uint64_t>::max();

uint64_t whole(long double samples) {
    return samples < static_cast<long double>(most) ? static_cast<uint64_t>(samples) : most;
}

}  // namespace

CountedTime counted_time(std::span<const RecordedEvent> events, const SampleName& file) {
    CountedTime time;
    for (const RecordedEvent& event : events)
        if (event.name == file.event && event.count == file.count && event.unit_mask == file.unit_mask)
            time += event.time;
    return time;
}

bool is_scalable(const CountedTime& time) {
    return time.is_partial() && time.running > 0;
}

void scale_counts(SampleFileContent& content, const CountedTime& time) {
    if (!is_scalable(time)) return;
    std::ranges::stable_sort(content.entries, {}, &SampleEntry::key);
    const long double factor =
        static_cast<long double>(time.enabled) / static_cast<long double>(time.running);
    long double counted = 0, given = 0;  // samples up to here, before and after
    content.total = 0;
    for (SampleEntry& entry : content.entries) {
        counted += static_cast<long double>(entry.count);
        const long double due = std::round(counted * factor);
        entry.count = whole(due - given);
        given = due;
        content.total = add_saturating(content.total, entry.count);
    }
}

}  // namespace op::pp
