// SPDX-License-Identifier: GPL-2.0-or-later
// Numbers of the applications that call stacks begin with, so that most samples need no lookup for them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace op::collect {

/// What decides on the application of a sample.
struct ApplicationKey {
    uint64_t generation = ~uint64_t{0};  ///< of what it was found by
    uint32_t tgid = 0;
    uint32_t app = 0;    ///< the driver's cookie of the program; 0 = none
    uint32_t image = 0;  ///< number of the sampled image; 0 = it does not matter
    bool kernel = false;

    bool operator==(const ApplicationKey&) const = default;
};

/// Remembers the last application for each slot. Not thread-safe.
class ApplicationCache {
public:
    struct Entry {
        ApplicationKey key;
        uint32_t number = 0;  ///< as StackFiles::image() gives it
    };

    /// Where the number of an application is, or belongs.
    Entry& entry_for(const ApplicationKey& key) noexcept {
        const uint64_t mixed = uint64_t{key.tgid} << 32 ^ uint64_t { key.app } << 20 ^ key.image;
        return entries_[mixed * 0x9e3779b97f4a7c15 >> 32 & (entries_.size() - 1)];
    }

    void clear() noexcept { entries_.fill({}); }

private:
    std::array<Entry, 256> entries_{};  ///< a power of two
};

}  // namespace op::collect
