// SPDX-License-Identifier: GPL-2.0-or-later
// The pages of kernel code that were met in samples, so that only the names of what is there are stored.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>

namespace op::collect {

/// A set of pages of run-time addresses. Not thread-safe.
class KernelPages {
public:
    static constexpr int shift = 12;

    /// Adds the page of an address.
    void note(uint64_t address) {
        const uint64_t page = address >> shift;
        uint64_t& recent = recent_[page % recent_.size()];
        if (recent == page) return;
        recent = page;
        if (pages_.size() < most) pages_.insert(page);
    }
    void clear() { *this = {}; }

    /// Addresses divided by the size of a page.
    const std::set<uint64_t>& pages() const noexcept { return pages_; }
    /// False if some did not fit, as of a stream with noise instead of addresses.
    bool has_all() const noexcept { return pages_.size() < most; }
    /// True if one lies in [start, end).
    bool touch(uint64_t start, uint64_t end) const {
        const auto page = pages_.lower_bound(start >> shift);
        return start < end && page != pages_.end() && *page <= (end - 1) >> shift;
    }

private:
    static constexpr size_t most = size_t{1} << 16;

    std::set<uint64_t> pages_;
    std::array<uint64_t, 256> recent_{};  ///< most addresses are in a page that was met before
};

}  // namespace op::collect
