// SPDX-License-Identifier: GPL-2.0-or-later
// The end of a wait that consists of several steps.
#pragma once

#include <chrono>

namespace op {

/// A point of the monotonic clock. An immutable value.
class Deadline {
public:
    explicit Deadline(std::chrono::milliseconds limit) noexcept
        : end_(std::chrono::steady_clock::now() + limit) {}

    /// The time until then, rounded up; 0 once it has passed.
    std::chrono::milliseconds left() const noexcept;

private:
    std::chrono::steady_clock::time_point end_;
};

/// Waits until a descriptor is readable. True if it is before the deadline; one that has passed only looks.
bool wait_readable(int fd, Deadline deadline) noexcept;

}  // namespace op
