// SPDX-License-Identifier: GPL-2.0-or-later
// What changed between two selections of samples: shares of functions, tested over hosts. Asks no server.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fleet/function_counts.h"

namespace op::fleet {

/// A function on both sides. Shares are means over hosts of what part of a host's samples it has, from 0
/// to 1.
struct FunctionChange {
    FunctionKey key;
    uint64_t samples_before = 0, samples_after = 0;
    double share_before = 0, share_after = 0;
    std::optional<double> probability;  ///< of such a difference by chance; none = too few samples to test
    bool is_significant = false;        ///< more than chance, as one of many tests (pp::discoveries)
    double visible = 1;  ///< the smallest change of its share that would be found in four of five cases

    double difference() const { return share_after - share_before; }
};

struct FunctionDiff {
    std::vector<FunctionChange> changes;  ///< significant ones first, then by difference, greatest first
    size_t tested = 0;
    size_t hosts_before = 0, hosts_after = 0;
    bool is_over_hosts = false;   ///< two hosts or more on each side, so that their variation is known
    double visible_at_1_percent;  ///< the smallest visible change of a share of 1 %
};

/// Compares. Where a side has one host only, the variation between hosts is not known, and the test is that
/// of samples alone.
FunctionDiff compare(const HostCounts& before, const HostCounts& after);

/// The functions to compare: those with most samples on either side, at most so many.
std::vector<FunctionCount> functions_of_both(const std::vector<FunctionCount>& before,
                                             const std::vector<FunctionCount>& after, size_t most);

}  // namespace op::fleet
