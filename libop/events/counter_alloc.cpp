// SPDX-License-Identifier: GPL-2.0-or-later
// Counter allocation: the first assignment a depth-first search would find. The search never runs into a dead
// end, since before each choice a matching (augmenting paths, Kuhn) checks that the rest still has room.
#include "libop/events/counter_alloc.h"

#include <algorithm>
#include <array>

namespace op {

namespace {

constexpr unsigned most_counters = 32;

/// A matching of events to counters.
class Matching {
public:
    explicit Matching(std::span<const uint32_t> masks) : masks_(masks) { holder_.fill(none); }

    /// True if each event can have a counter of its own.
    bool is_complete() {
        for (size_t event = 0; event < masks_.size(); ++event) {
            tried_ = 0;
            if (!place(event)) return false;
        }
        return true;
    }

private:
    static constexpr size_t none = ~size_t{0};

    bool place(size_t event) {
        for (unsigned counter = 0; counter < most_counters; ++counter) {
            const uint32_t bit = 1u << counter;
            if ((masks_[event] & bit) == 0 || (tried_ & bit) != 0) continue;
            tried_ |= bit;
            if (holder_[counter] == none || place(holder_[counter])) {
                holder_[counter] = event;
                return true;
            }
        }
        return false;
    }

    std::span<const uint32_t> masks_;
    std::array<size_t, most_counters> holder_{};
    uint32_t tried_ = 0;
};

/// The lowest counter of the first event that leaves room for the others, whose masks lose it.
std::optional<int> take_first(std::span<uint32_t> masks) {
    for (unsigned counter = 0; counter < most_counters; ++counter) {
        const uint32_t bit = 1u << counter;
        if ((masks[0] & bit) == 0) continue;
        std::vector<uint32_t> rest(masks.begin() + 1, masks.end());
        for (uint32_t& mask : rest)
            mask &= ~bit;
        if (!Matching(rest).is_complete()) continue;
        std::copy(rest.begin(), rest.end(), masks.begin() + 1);
        return static_cast<int>(counter);
    }
    return std::nullopt;
}

}  // namespace

uint32_t all_counters(unsigned counters) noexcept {
    return counters >= most_counters ? ~0u : (1u << counters) - 1;
}

std::optional<std::vector<int>> allocate_counters(std::span<const CounterMask> events, unsigned counters) {
    const uint32_t there = all_counters(counters);
    std::vector<uint32_t> masks;
    for (const CounterMask& event : events)
        if (event) masks.push_back(*event & there);
    std::vector<int> numbers;
    size_t next = 0;
    for (const CounterMask& event : events) {
        if (!event) {
            numbers.push_back(-1);
            continue;
        }
        const auto number = take_first(std::span(masks).subspan(next++));
        if (!number) return std::nullopt;
        numbers.push_back(*number);
    }
    return numbers;
}

}  // namespace op
