// SPDX-License-Identifier: GPL-2.0-or-later
// The bytes of a part of a file, read as they are asked for and not mapped: a file that is cut while it is
// read does no harm. Or bytes in memory, to be asked for in the same way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "libop/base/fd.h"

namespace op::collect {

/// Fills `bytes` from the file and returns how many of them it has. Throws a system error.
size_t read_at(const Fd& file, uint64_t offset, std::span<std::byte> bytes);

/// Not thread-safe.
class FrameBytes {
public:
    /// The bytes must outlive the object.
    explicit FrameBytes(std::span<const std::byte> bytes) noexcept : held_(bytes), size_(bytes.size()) {}
    /// The file must outlive the object.
    FrameBytes(const Fd& file, uint64_t offset, uint64_t size) noexcept
        : file_(&file), offset_(offset), size_(size) {}

    uint64_t size() const noexcept { return size_; }
    /// The bytes from `at` on, `most` of them; fewer where the part or the file ends. Valid until the next
    /// call. Throws a system error.
    std::span<const std::byte> read(uint64_t at, uint64_t most) {
        if (at >= size_) return {};
        most = most < size_ - at ? most : size_ - at;
        const bool is_held =
            at >= start_ && at - start_ <= held_.size() && most <= held_.size() - (at - start_);
        if (!is_held && file_) fill(at, most);
        const uint64_t into = at - start_;
        if (into >= held_.size()) return {};
        return held_.subspan(into, most < held_.size() - into ? most : held_.size() - into);
    }

private:
    void fill(uint64_t at, uint64_t most);

    const Fd* file_ = nullptr;
    std::span<const std::byte> held_;
    uint64_t start_ = 0;  ///< of `held_` within the part
    uint64_t offset_ = 0, size_ = 0;
    std::vector<std::byte> window_;
};

}  // namespace op::collect
