// SPDX-License-Identifier: GPL-2.0-or-later
// Which kernel sampled by what: doc/FORMATS.md, "Akaros traces".
#include "daemon/import/akaros_events.h"

#include <algorithm>

#include "libop/base/text.h"
#include "libop/events/event_table.h"

namespace op::collect {
namespace {

/// Akaros' own default, in ns.
constexpr uint64_t default_period = 1'000'000, us = 1000;
/// So many periods show the usual one.
constexpr size_t most_periods = size_t{1} << 16;

/// The top bits of a trace's info in v2.
constexpr uint64_t timer_source = 1, counter_source = 2;

}  // namespace

/// Before v2 all samples are the timer's; in v3 each event has a number that the recorder chose.
uint64_t AkarosEvents::source(const AkarosEntry& trace) const noexcept {
    if (layout_ == AkarosLayout::v3) return trace.info;
    return layout_ == AkarosLayout::v2 ? trace.info >> 60 : timer_source;
}

bool AkarosEvents::is_timer(uint64_t source) const noexcept {
    return layout_ != AkarosLayout::v3 && source == timer_source;
}

void AkarosEvents::note(const AkarosEntry& trace) {
    const uint64_t of = source(trace);
    if (sources_.size() < most && indexes_.try_emplace(of, static_cast<uint16_t>(sources_.size())).second)
        sources_.push_back(of);
    if (!is_timer(of) || periods_.size() >= most_periods) return;
    uint64_t& last = times_[trace.cpu];
    if (last != 0 && trace.time > last) periods_.push_back(trace.time - last);
    last = trace.time;
}

/// The median, in whole microseconds.
uint64_t AkarosEvents::usual_period() const {
    if (periods_.empty()) return default_period;
    std::vector<uint64_t> sorted = periods_;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::ranges::nth_element(sorted, middle);
    const uint64_t period = *middle;
    if (period > UINT32_MAX) return default_period;
    return std::max((period + us / 2) / us * us, us);
}

std::vector<RecordedEvent> AkarosEvents::describe() const {
    std::vector<RecordedEvent> events;
    for (const uint64_t of : sources_) {
        RecordedEvent event{.name = "EVENT_" + std::to_string(events.size() + 1), .count = 1};
        if (is_timer(of)) event = {.name = std::string(timer_event), .count = usual_period()};
        if (layout_ == AkarosLayout::v2 && of == counter_source) event.name = "COUNTER";
        events.push_back(std::move(event));
    }
    if (events.empty()) events.push_back({.name = std::string(timer_event), .count = usual_period()});
    return events;
}

uint16_t AkarosEvents::index(const AkarosEntry& trace) const {
    const auto known = indexes_.find(source(trace));
    return known == indexes_.end() ? static_cast<uint16_t>(most) : known->second;
}

}  // namespace op::collect
