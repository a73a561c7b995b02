// SPDX-License-Identifier: GPL-2.0-or-later
// Puts records in the order of their times, as far as they come within rounds: no record after the end of a
// round is older than the newest one before the end of the round before (FINISHED_ROUND of perf.data).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace op::collect {

/// Holds back (time, position) of records. Memory is bounded: what does not fit is given out early, and may
/// then be out of order.
class TimeWindow {
public:
    struct Entry {
        uint64_t time, position;

        auto operator<=>(const Entry&) const = default;
    };
    static constexpr size_t usual_limit = size_t{1} << 20;

    explicit TimeWindow(size_t limit = usual_limit) : limit_(limit) {}

    /// Adds a record. Positions grow.
    void add(uint64_t time, uint64_t position);
    /// A round ended.
    void end_round();
    /// There are no more records.
    void end_all();
    /// Gives out half of what is held back, because other memory is short.
    void give_half();

    /// True if next() has a record that nothing can come before.
    bool has_next() const noexcept { return next_ < ready_.size(); }
    Entry next() noexcept { return ready_[next_++]; }
    /// No record before this position is to come; `end` if none is held back.
    uint64_t first_position(uint64_t end) const noexcept;
    /// Records that came later than newer ones had been given out.
    uint64_t late() const noexcept { return late_; }

private:
    void release_until(size_t count);
    void sort_held();

    size_t limit_;
    std::vector<Entry> held_, ready_;
    size_t next_ = 0;  ///< in ready_
    bool is_sorted_ = true;
    uint64_t newest_ = 0;           ///< of all
    uint64_t newest_of_round_ = 0;  ///< as of the end of the round before
    uint64_t given_ = 0;            ///< time of the newest that was given out
    uint64_t late_ = 0;
};

}  // namespace op::collect
