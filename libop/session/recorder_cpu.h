// SPDX-License-Identifier: GPL-2.0-or-later
// What recording a session cost: the recorder's own processor time.
#pragma once

#include <cstdint>

#include "libop/session/ledger.h"

namespace op {

/// The processor time that the recorder used, of all its threads, and the time in which it did: ns, sums over
/// runs that saturate. Both 0: not measured.
struct RecorderCpu {
    uint64_t used = 0, elapsed = 0;

    bool operator==(const RecorderCpu&) const = default;

    RecorderCpu& operator+=(const RecorderCpu& more) noexcept {
        used = add_saturating(used, more.used);
        elapsed = add_saturating(elapsed, more.elapsed);
        return *this;
    }
    /// What was used and what elapsed since an earlier reading; 0 for what went back.
    RecorderCpu since(const RecorderCpu& earlier) const noexcept {
        const auto less = [](uint64_t a, uint64_t b) { return a > b ? a - b : 0; };
        return {less(used, earlier.used), less(elapsed, earlier.elapsed)};
    }
    bool is_measured() const noexcept { return used != 0 || elapsed != 0; }
};

}  // namespace op
