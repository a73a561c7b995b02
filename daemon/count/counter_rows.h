// SPDX-License-Identifier: GPL-2.0-or-later
// Readings of counters, and the rows of a report made from them. Does not open counters; that is
// perf_counters.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace op::collect {

/// What one counter counts.
struct CounterKey {
    uint32_t event = 0;            ///< index into the events asked for
    std::optional<uint32_t> task;  ///< thread; none = every one
    std::optional<uint32_t> cpu;   ///< none = wherever the task runs

    auto operator<=>(const CounterKey&) const = default;
};

/// The value and times of one counter since it was opened. While other events use the hardware's counters,
/// `enabled` advances and `running` does not.
struct CounterReading {
    uint64_t value = 0;
    uint64_t enabled = 0, running = 0;  ///< ns, of children too if they are counted

    bool operator==(const CounterReading&) const = default;
};

/// Seam: counters, opened but not yet counting.
class CounterSource {
public:
    virtual ~CounterSource() = default;
    /// What each counter counts. Never changes.
    virtual const std::vector<CounterKey>& counters() const = 0;
    virtual void start() = 0;
    virtual void stop() = 0;
    /// One reading per counter, in their order. Throws a system error.
    virtual std::vector<CounterReading> read() = 0;
};

/// The key by which rows are separated, besides the event.
enum class CountSeparation { none, task, cpu };

/// A line of a report: the sum of some counters over some time.
struct CountRow {
    CounterKey key;                     ///< task and cpu only if rows are separated by it
    uint64_t counted = 0;               ///< the sum of the counters' values
    uint64_t count = 0;                 ///< the same, with counters that did not run all the time scaled up
    uint64_t enabled = 0, running = 0;  ///< ns, sums
    bool is_scaled = false;
    bool is_incomplete = false;  ///< a counter never ran: its part is missing from the count

    /// False if no counter ran at all: then the count is unknown, which differs from a count of 0.
    bool is_counted() const noexcept { return running != 0; }
    /// Share of the enabled time in which the event was counted, 0 to 1.
    double share() const noexcept;
};

/// The rows for the counts between two readings (`before` empty: since the beginning), sorted by event, then
/// as in `counters`. A counter that ran less than 99 % of the time is scaled before counters are added up.
/// One that never ran adds nothing, lowers the share and makes the row incomplete. `counters` and readings
/// are parallel.
std::vector<CountRow> make_count_rows(std::span<const CounterKey> counters,
                                      std::span<const CounterReading> before,
                                      std::span<const CounterReading> after, CountSeparation separation);

}  // namespace op::collect
