// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target: any bytes are a trace of Akaros in each layout, or have no entry; every view lies within them;
// a trace that was read gives its samples in order of time, and each entry once.
#include <cstdint>
#include <cstdlib>

#include "daemon/import/akaros_events.h"
#include "daemon/import/akaros_trace.h"
#include "daemon/import/time_runs.h"

namespace {

using namespace op::collect;

struct Check {
    std::span<const std::byte> bytes;

    void within(const void* start, size_t size) const {
        const auto* p = static_cast<const std::byte*>(start);
        if (size > 0 && (p < bytes.data() || p + size > bytes.data() + bytes.size())) std::abort();
    }
};

size_t read_all(const AkarosTrace& trace, const Check& check, TimeRuns& runs, AkarosEvents& events) {
    size_t entries = 0;
    AkarosEntry entry;
    for (size_t at = 0, from = 0;; from = at) {
        const AkarosPart part = trace.read(at, entry);
        if (part == AkarosPart::end) return entries;
        if (at <= from || at > trace.size()) std::abort();
        if (part != AkarosPart::entry) continue;
        check.within(entry.addresses.data(), entry.addresses.size());
        check.within(entry.path.data(), entry.path.size());
        if (entry.is_trace() && entry.depth() == 0) std::abort();
        for (size_t i = 0; i < entry.depth(); ++i)
            entry.address(i);
        if (entry.is_trace()) events.note(entry);
        runs.add(from, at, entry.time);
        ++entries;
    }
}

/// Goes through the entries by time; returns their number.
size_t merge(const AkarosTrace& trace, TimeRuns& runs, const AkarosEvents& events) {
    const size_t known = events.describe().size();
    size_t entries = 0;
    uint64_t last = 0;
    AkarosEntry entry;
    for (runs.begin(); !runs.is_done(); ++entries) {
        size_t at = runs.position();
        if (trace.read(at, entry) != AkarosPart::entry) std::abort();
        if (entry.is_trace() && events.index(entry) >= known && known < AkarosEvents::most) std::abort();
        if (!runs.is_unordered() && entry.time < last) std::abort();
        last = entry.time;
        size_t next = at;
        while (at < runs.end() && trace.read(at, entry) != AkarosPart::entry)
            next = at;
        if (next < runs.end())
            runs.advance(next, entry.time);
        else
            runs.advance();
    }
    return entries;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
    const AkarosLayout guessed = AkarosTrace(bytes).layout();
    for (const auto layout : {AkarosLayout::words, AkarosLayout::v1, AkarosLayout::v2, AkarosLayout::v3}) {
        const AkarosTrace trace(bytes, layout);
        AkarosEvents events(layout);
        TimeRuns runs(layout == guessed ? 1000 : 4);
        const size_t entries = read_all(trace, {bytes}, runs, events);
        if (merge(trace, runs, events) != entries) std::abort();
    }
    return 0;
}
