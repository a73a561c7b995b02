// SPDX-License-Identifier: GPL-2.0-or-later
// Sessions that were deleted to keep a limit before a pusher had stored them elsewhere. Part of the manifest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace op {

/// One of them.
struct DroppedSession {
    std::string session;   ///< its name in samples/; "" = several for which there was no row
    uint64_t samples = 0;  ///< that it had stored
    uint64_t start_time = 0, stop_time = 0;  ///< seconds since the epoch; 0 = unknown

    bool operator==(const DroppedSession&) const = default;
};

/// The sessions dropped while one session was recorded, in the order in which they were dropped.
class DroppedSessions {
public:
    /// Rows that are kept; what is dropped after them goes into one row more, without a name.
    static constexpr size_t most_rows = 1000;

    /// Adds a session, unless one of that name is there: a crash between counting and deleting repeats both.
    void add(const DroppedSession& dropped);
    void merge(const DroppedSessions& other);
    void clear() noexcept { rows_.clear(); }
    bool is_empty() const noexcept { return rows_.empty(); }
    const std::vector<DroppedSession>& rows() const noexcept { return rows_; }
    /// The sum over all rows; saturating.
    uint64_t samples() const noexcept;

    bool operator==(const DroppedSessions&) const = default;

private:
    std::vector<DroppedSession> rows_;
};

}  // namespace op
