// SPDX-License-Identifier: GPL-2.0-or-later
// The events that perf has no number for. Sources: for whole types, the lines not_counted: of
// events/cpu_models; for single events, the numbers that perf's drivers accept.
#include "libop/events/uncounted.h"

#include <bit>
#include <iterator>
#include <string_view>

namespace op {

namespace {

/// The kernel counts four events of an EV67. The classic driver counted the others with ProfileMe.
bool is_counted_by_ev67(const EventDescription& event) {
    constexpr std::string_view names[] = {"CYCLES", "INSTRUCTIONS", "BCACHE_MISS", "MBOX_REPLAY"};
    return event.code >= 1 && event.code <= std::size(names) && names[event.code - 1] == event.name;
}

/// perf has other numbers for Scorpion's own events than the classic driver, but the same for the events of
/// the architecture.
bool is_scorpions_own(const EventDescription& event) {
    constexpr uint32_t first_own = 0x4c, cycles = 0xff;
    return event.code >= first_own && event.code != cycles;
}

}  // namespace

std::string why_uncounted(const CpuModel& model, const EventDescription& event) {
    if (!model.not_counted.empty()) return model.not_counted;
    if (model.name == "alpha/ev67" && !is_counted_by_ev67(event)) return "perf has four events of EV67";
    if (model.name.starts_with("arm/armv7-scorpion") && is_scorpions_own(event))
        return "perf has another number for it, which is not known here";
    if (model.name == "ppc/7450" && std::has_single_bit(event.counters))
        return "perf numbers it together with its counter, in a way not known here";
    return "";
}

}  // namespace op
