// SPDX-License-Identifier: GPL-2.0-or-later
// The common parts of comparisons.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libpp/report/report.h"

namespace op::pp {

/// A count and what it is a share of.
struct Share {
    uint64_t count, total;

    /// True if both are exactly the same part.
    bool operator==(const Share& other) const;
    /// Between 0 and 1; 0 of nothing.
    double ratio() const { return total == 0 ? 0 : static_cast<double>(count) / static_cast<double>(total); }
};

/// The difference of two shares; not tested.
Difference difference(const Share& before, const Share& after);

/// The lines on both profiles, then those on one of them.
std::vector<std::string> lines_of_both(const std::vector<std::string>& first,
                                       const std::vector<std::string>& second);

}  // namespace op::pp
