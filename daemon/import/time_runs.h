// SPDX-License-Identifier: GPL-2.0-or-later
// Orders by time what lies in a file as parts that are each in order. Such a recording is a queue of blocks,
// one CPU's each. Knows positions and times only; memory does not grow with the file, but with the number of
// parts, up to a limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace op::collect {

/// Use: add() what the file has, begin(); then, until is_done(), read what lies at position() and advance().
class TimeRuns {
public:
    explicit TimeRuns(size_t most_runs = size_t{1} << 19) : most_(most_runs) {}

    /// Something at that position, which ends at `end`; positions ascend.
    void add(size_t at, size_t end, uint64_t time);
    /// Parts beyond the limit follow each other as they lie in the file.
    bool is_unordered() const noexcept { return is_unordered_; }
    /// What was added, from the earliest on; of equal times as in the file.
    void begin();

    bool is_done() const noexcept { return heap_.empty(); }
    /// Where the next thing is.
    size_t position() const noexcept { return heap_.front().at; }
    /// The end of its part: what lies before follows it.
    size_t end() const noexcept { return heap_.front().end; }
    /// Goes on: in its part comes what is at `at`, of that time.
    void advance(size_t at, uint64_t time);
    /// Goes on: its part has nothing more.
    void advance();
    /// What lies before that position is not needed any more. Looks at every part.
    size_t first_needed() const noexcept;

private:
    struct Run {
        uint64_t time;  ///< of what is at `at`
        size_t at, end;
    };
    static bool is_later(const Run& a, const Run& b) noexcept {
        return a.time != b.time ? a.time > b.time : a.at > b.at;
    }
    void open();

    size_t most_;
    bool is_unordered_ = false;
    uint64_t last_ = 0;      ///< time added last
    std::vector<Run> runs_;  ///< by time of their beginnings, once begun
    size_t opened_ = 0;      ///< so many of runs_ are or were in heap_
    std::vector<Run> heap_;
};

}  // namespace op::collect
