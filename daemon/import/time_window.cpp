// SPDX-License-Identifier: GPL-2.0-or-later
// Sorting within a window.
#include "daemon/import/time_window.h"

#include <algorithm>

namespace op::collect {

void TimeWindow::add(uint64_t time, uint64_t position) {
    if (!held_.empty() && time < held_.back().time) is_sorted_ = false;
    if (time != 0 && time < given_) ++late_;
    held_.push_back({time, position});
    newest_ = std::max(newest_, time);
    if (held_.size() >= limit_) give_half();
}

void TimeWindow::sort_held() {
    if (!is_sorted_) std::ranges::sort(held_);
    is_sorted_ = true;
}

/// Moves the first records that are held back to those that can be taken. All that were ready were taken.
void TimeWindow::release_until(size_t count) {
    ready_.erase(ready_.begin(), ready_.begin() + static_cast<std::ptrdiff_t>(next_));
    next_ = 0;
    const auto end = held_.begin() + static_cast<std::ptrdiff_t>(count);
    ready_.insert(ready_.end(), held_.begin(), end);
    held_.erase(held_.begin(), end);
    if (!ready_.empty()) given_ = std::max(given_, ready_.back().time);
}

void TimeWindow::end_round() {
    sort_held();
    const auto end = std::ranges::upper_bound(held_, newest_of_round_, {}, &Entry::time);
    release_until(static_cast<size_t>(end - held_.begin()));
    newest_of_round_ = newest_;
}

void TimeWindow::end_all() {
    sort_held();
    release_until(held_.size());
}

void TimeWindow::give_half() {
    sort_held();
    release_until((held_.size() + 1) / 2);
}

uint64_t TimeWindow::first_position(uint64_t end) const noexcept {
    uint64_t first = end;
    for (size_t i = next_; i < ready_.size(); ++i)
        first = std::min(first, ready_[i].position);
    for (const Entry& entry : held_)
        first = std::min(first, entry.position);
    return first;
}

}  // namespace op::collect
