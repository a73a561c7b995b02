// SPDX-License-Identifier: GPL-2.0-or-later
// From readings to rows.
#include "daemon/count/counter_rows.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace op::collect {
namespace {

/// A counter that ran less than this share of the time is scaled (the classic ocount's limit).
constexpr double full_share = 0.99;

uint64_t difference(uint64_t after, uint64_t before) {
    return after > before ? after - before : 0;
}

CounterReading between(const CounterReading& before, const CounterReading& after) {
    return {difference(after.value, before.value), difference(after.enabled, before.enabled),
            difference(after.running, before.running)};
}

double share_of(uint64_t running, uint64_t enabled) {
    return enabled == 0 ? 0 : std::min(1.0, static_cast<double>(running) / static_cast<double>(enabled));
}

uint64_t scaled(uint64_t value, double share) {
    constexpr double limit = 18446744073709549568.0;  // the greatest double below 2^64
    return static_cast<uint64_t>(std::min(std::round(static_cast<double>(value) / share), limit));
}

void add(CountRow& row, const CounterReading& reading) {
    row.is_incomplete |= reading.enabled != 0 && reading.running == 0;
    row.enabled += reading.enabled;
    row.running += reading.running;
    row.counted += reading.value;
    const double share = share_of(reading.running, reading.enabled);
    const bool needs_scaling = share > 0 && share < full_share;
    row.count += needs_scaling ? scaled(reading.value, share) : reading.value;
    row.is_scaled |= needs_scaling;
}

CounterKey row_key(CounterKey key, CountSeparation separation) {
    if (separation != CountSeparation::task) key.task.reset();
    if (separation != CountSeparation::cpu) key.cpu.reset();
    return key;
}

}  // namespace

double CountRow::share() const noexcept {
    return share_of(running, enabled);
}

std::vector<CountRow> make_count_rows(std::span<const CounterKey> counters,
                                      std::span<const CounterReading> before,
                                      std::span<const CounterReading> after, CountSeparation separation) {
    std::vector<CountRow> rows;
    std::map<CounterKey, size_t> places;  // in rows
    for (size_t i = 0; i < counters.size(); ++i) {
        const CounterKey key = row_key(counters[i], separation);
        const size_t place = places.try_emplace(key, rows.size()).first->second;
        if (place == rows.size()) rows.push_back({.key = key});
        add(rows[place], between(before.empty() ? CounterReading{} : before[i], after[i]));
    }
    std::ranges::stable_sort(rows, {}, [](const CountRow& row) { return row.key.event; });
    return rows;
}

}  // namespace op::collect
