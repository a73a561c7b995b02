// SPDX-License-Identifier: GPL-2.0-or-later
// Rules of IBS. Widths of counters: AMD64 APM 2, "Instruction-Based Sampling"; CPUID Fn8000_001B EAX.
#include "libop/events/ibs_rules.h"

#include <string>

#include "libop/base/error.h"
#include "libop/base/text.h"

namespace op {

namespace {

/// IbsFetchMaxCnt and IbsOpMaxCnt hold bits 19:4.
constexpr uint64_t greatest_of_20_bits = (1 << 20) - ibs_count_step;
/// With OpCntExt (CPUID Fn8000_001B EAX bit 6) IBS_OP_CTL also has bits 26:20. All processors after family
/// 10h have it.
constexpr uint64_t greatest_of_27_bits = (1 << 27) - ibs_count_step;

std::string place(const ResolvedEvent& event) {
    return "event '" + printable(event.event->name) + "': ";
}

void check_count(std::string_view cpu_type, const ResolvedEvent& event) {
    const uint64_t count = event.spec.count;
    const uint64_t greatest = greatest_ibs_count(cpu_type, event.event->extended);
    if (count > greatest)
        throw_usage(place(event) + "count " + std::to_string(count) + " is above the maximum of " +
                    std::to_string(greatest) + ", all that the counter of " + event.event->extended +
                    " holds");
    if (count % ibs_count_step != 0)
        throw_usage(place(event) + "count " + std::to_string(count) + " is no multiple of 16, in which " +
                    event.event->extended + " counts; use " + std::to_string(count - count % ibs_count_step));
}

void check_same(const ResolvedEvent& first, const ResolvedEvent& other) {
    if (first.spec.count == other.spec.count && first.unit_mask == other.unit_mask) return;
    throw_usage(place(other) + "it and '" + printable(first.event->name) +
                "' are derived from the same samples of " + first.event->extended +
                "; give them one count and one unit mask");
}

}  // namespace

uint64_t greatest_ibs_count(std::string_view cpu_type, std::string_view facility) noexcept {
    return facility == "ibs_op" && cpu_type != "x86-64/family10" ? greatest_of_27_bits : greatest_of_20_bits;
}

void check_ibs_events(std::string_view cpu_type, std::span<const ResolvedEvent> events) {
    const ResolvedEvent *fetch = nullptr, *op = nullptr;
    for (const ResolvedEvent& event : events) {
        if (event.event->extended.empty()) continue;
        check_count(cpu_type, event);
        const ResolvedEvent*& first = event.event->extended == "ibs_op" ? op : fetch;
        if (!first) first = &event;
        check_same(*first, event);
    }
}

}  // namespace op
