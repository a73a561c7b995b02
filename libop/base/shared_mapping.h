// SPDX-License-Identifier: GPL-2.0-or-later
// A file mapped shared for writing, and disk space for what is stored there. Knows no format.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include "libop/base/fd.h"

namespace op {

/// A file mapped shared, for reading and writing.
class SharedMapping {
public:
    SharedMapping() = default;
    /// Maps `length` bytes, which must be there. Throws a system error naming `label`.
    SharedMapping(const Fd& fd, size_t length, std::string_view label);
    SharedMapping(SharedMapping&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
    SharedMapping& operator=(SharedMapping&& other) noexcept;
    ~SharedMapping();

    /// Maps `length` bytes instead, possibly elsewhere. On failure nothing changed.
    bool resize(size_t length) noexcept;
    /// Gives the pages back to the page cache; they are mapped again when touched.
    void drop_pages() noexcept;
    std::span<std::byte> bytes() const noexcept { return bytes_; }

private:
    std::span<std::byte> bytes_;
};

/// Reserves disk space for all bytes in [from, to) and extends the file to `to`, so that a store to a mapping
/// of them never raises SIGBUS for lack of space. Returns false with errno set on failure.
bool reserve_space(const Fd& fd, size_t from, size_t to) noexcept;

}  // namespace op
