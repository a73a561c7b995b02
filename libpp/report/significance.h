// SPDX-License-Identifier: GPL-2.0-or-later
// Which differences of a comparison are more than chance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libpp/report/report.h"

namespace op::pp {

/// The counts of one session in the rows of a comparison.
struct SessionCounts {
    std::vector<uint64_t> totals;  ///< one per column
    std::vector<uint64_t> counts;  ///< one per row and column
};

/// One side of a comparison.
struct ComparedSide {
    const ReportHead& head;
    std::span<const uint64_t> totals;              ///< one per column
    std::span<const uint64_t> counts;              ///< one per row and column
    std::span<const SessionCounts> sessions = {};  ///< empty = not known
};

/// What is tested of a row.
enum class Tested : uint8_t { shares, counts };

/// Tests all rows of a comparison, each column for itself: sets probabilities, intervals and marks of
/// `differences`, one per row and column, and the changes that these are of; of counts only probabilities and
/// marks. With least_sessions on each side it tests what their sessions differ in; a session without samples
/// in a column does not count there. Returns what it can show.
ComparisonPower test_differences(const ComparedSide& before, const ComparedSide& after,
                                 std::span<Difference> differences, Tested tested = Tested::shares);

/// What the head of a comparison has on its tests; one a line. `rows`: "symbols".
std::vector<std::string> test_facts(const ComparisonPower& power, std::string_view rows);

}  // namespace op::pp
