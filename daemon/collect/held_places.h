// SPDX-License-Identifier: GPL-2.0-or-later
// Where samples that wait (daemon/jit/held_samples.h) will be stored, by numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "daemon/collect/sample_origin.h"

namespace op::collect {

struct HeldPlace {
    Origin origin;  ///< with no weight
    ImageRange range;
    uint32_t counter;  ///< CommandNames::counter(), or `in_run`

    /// They are counted with the NamedRun in which they were taken.
    static constexpr uint32_t in_run = UINT32_MAX;

    bool operator==(const HeldPlace&) const = default;
};

/// Not thread-safe.
class HeldPlaces {
public:
    static constexpr size_t most = 65536;

    /// The number of a place, which stays the same; none if there are too many.
    std::optional<uint32_t> number(const HeldPlace& place) {
        if (const auto known = numbers_.find(place); known != numbers_.end()) return known->second;
        if (places_.size() >= most) return std::nullopt;
        const auto number = static_cast<uint32_t>(places_.size());
        places_.push_back(place);
        numbers_.emplace(place, number);
        return number;
    }
    /// 0 to 4.
    size_t quarters_full() const noexcept { return places_.size() / (most / 4); }
    const HeldPlace& at(uint32_t number) const { return places_.at(number); }
    void clear() {
        places_.clear();
        numbers_.clear();
    }

private:
    struct Hash {
        size_t operator()(const HeldPlace& place) const noexcept {
            uint64_t mixed = place.range.start ^ uint64_t { place.origin.tgid } << 32;
            mixed = mixed * 0x9e3779b97f4a7c15 ^ uint64_t { place.origin.tid } << 16 ^ place.origin.cpu;
            mixed = mixed * 0x9e3779b97f4a7c15 ^ uint64_t { place.origin.event } << 32 ^ place.counter;
            return std::hash<uint64_t>()(mixed);
        }
    };

    std::vector<HeldPlace> places_;
    std::unordered_map<HeldPlace, uint32_t, Hash> numbers_;
};

}  // namespace op::collect
