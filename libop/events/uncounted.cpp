// SPDX-License-Identifier: GPL-2.0-or-later
// The events that perf has no number for. Sources: for whole types, the lines not_counted: of
// events/cpu_models; for single events, the numbers that perf's drivers accept.
#include "libop/events/uncounted.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <string_view>

namespace op {

namespace {

/// The kernel counts four events of an EV67. The classic driver counted the others with ProfileMe.
bool is_profileme_event(const EventDescription& event) {
    constexpr std::string_view names[] = {"CYCLES", "INSTRUCTIONS", "BCACHE_MISS", "MBOX_REPLAY"};
    return event.code < 1 || event.code > std::size(names) || names[event.code - 1] != event.name;
}

/// perf has other numbers for Scorpion's own events than the classic driver, but the same for the events of
/// the architecture.
bool is_scorpions_own(const EventDescription& event) {
    constexpr uint32_t first_own = 0x4c, cycles = 0xff;
    return event.code >= first_own && event.code != cycles;
}

bool has_one_counter(const EventDescription& event) {
    return std::has_single_bit(event.counters);
}

/// CPU types that perf counts a part of the events of.
struct PartlyCounted {
    std::string_view types;  ///< what their names begin with
    bool (*is_uncounted)(const EventDescription&);
    const char* reason;
};

constexpr PartlyCounted partly_counted[] = {
    {"alpha/ev67", is_profileme_event, "perf has four events of EV67"},
    {"arm/armv7-scorpion", is_scorpions_own, "perf has another number for it, which is not known here"},
    {"ppc/7450", has_one_counter, "its number in perf depends on the counter and is not known here"},
};

}  // namespace

std::string why_uncounted(const CpuModel& model, const EventDescription& event) {
    if (!model.not_counted.empty()) return model.not_counted;
    const auto row = std::ranges::find_if(
        partly_counted, [&](const PartlyCounted& one) { return model.name.starts_with(one.types); });
    return row != std::end(partly_counted) && row->is_uncounted(event) ? row->reason : "";
}

}  // namespace op
