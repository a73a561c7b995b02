// SPDX-License-Identifier: GPL-2.0-or-later
// A merge of as many parts as overlap in time.
#include "daemon/import/time_runs.h"

#include <algorithm>

namespace op::collect {

void TimeRuns::add(size_t at, size_t end, uint64_t time) {
    const bool is_next = !runs_.empty() && time >= last_;
    last_ = time;
    if (is_next || runs_.size() >= most_) {
        is_unordered_ |= !is_next;
        runs_.back().end = end;
    } else {
        runs_.push_back({time, at, end});
    }
}

void TimeRuns::begin() {
    std::ranges::sort(runs_, [](const Run& a, const Run& b) { return is_later(b, a); });
    opened_ = 0;
    heap_.clear();
    open();
}

/// Takes up the parts that begin before what is next.
void TimeRuns::open() {
    while (opened_ < runs_.size() && (heap_.empty() || !is_later(runs_[opened_], heap_.front()))) {
        heap_.push_back(runs_[opened_++]);
        std::ranges::push_heap(heap_, is_later);
    }
}

void TimeRuns::advance(size_t at, uint64_t time) {
    std::ranges::pop_heap(heap_, is_later);
    heap_.back().at = at;
    heap_.back().time = std::max(heap_.back().time, time);
    std::ranges::push_heap(heap_, is_later);
    open();
}

void TimeRuns::advance() {
    std::ranges::pop_heap(heap_, is_later);
    heap_.pop_back();
    open();
}

size_t TimeRuns::first_needed() const noexcept {
    size_t first = SIZE_MAX;
    for (const Run& run : heap_)
        first = std::min(first, run.at);
    for (size_t i = opened_; i < runs_.size(); ++i)
        first = std::min(first, runs_[i].at);
    return first;
}

}  // namespace op::collect
