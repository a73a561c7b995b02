// SPDX-License-Identifier: GPL-2.0-or-later
// A difference counts only if it is more than what hosts differ by (Welch) and more than what samples do: few
// hosts may be alike by chance.
#include "fleet/function_diff.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "libpp/profile/statistics.h"

namespace op::fleet {
namespace {

/// How much greater a change has to be that is found in four of five cases, not in one of two.
constexpr double power_factor = (1.959964 + 0.841621) / 1.959964;
/// Functions with shares near 1 % that the overall figure is taken from.
constexpr size_t typical_functions = 5;

/// One function on one side.
struct Group {
    std::vector<double> shares;  ///< of each host
    pp::Part part{0, 0};         ///< of all hosts together

    double mean() const {
        return shares.empty()
                   ? 0
                   : std::accumulate(shares.begin(), shares.end(), 0.0) / static_cast<double>(shares.size());
    }
};

Group group_of(const HostCounts& counts, const FunctionKey& key) {
    static const std::map<uint64_t, uint64_t> none;
    const auto at = counts.functions.find(key);
    const auto& by_host = at == counts.functions.end() ? none : at->second;
    Group group;
    for (const auto& [host, total] : counts.totals) {
        const auto n = by_host.find(host);
        const auto samples = static_cast<double>(n == by_host.end() ? 0 : n->second);
        group.part.count += samples;
        group.part.total += static_cast<double>(total);
        if (total > 0) group.shares.push_back(samples / static_cast<double>(total));
    }
    return group;
}

bool has_variation(const Group& before, const Group& after) {
    return before.shares.size() > 1 && after.shares.size() > 1;
}

double probability_of(const Group& before, const Group& after) {
    const double by_samples = pp::equal_shares_probability(before.part, after.part);
    if (!has_variation(before, after)) return by_samples;
    return std::max(by_samples, pp::equal_means_probability(before.shares, after.shares));
}

/// The smallest difference of means at which the test over hosts reaches 0.05, with the variation that there
/// is.
double smallest_by_hosts(const Group& before, const Group& after) {
    const double offset = before.mean() - after.mean();
    const auto is_found = [&](double change) {
        std::vector<double> moved = after.shares;
        for (double& share : moved)
            share += offset + change;
        return pp::equal_means_probability(before.shares, moved) <= 0.05;
    };
    double low = 0, high = 1;
    if (!is_found(high)) return 1;
    for (int i = 0; i < 24; ++i) {
        const double middle = (low + high) / 2;
        (is_found(middle) ? high : low) = middle;
    }
    return std::min(high * power_factor, 1.0);
}

double visible_change(const Group& before, const Group& after) {
    const double share = (before.mean() + after.mean()) / 2;
    const double by_samples = pp::smallest_change(share, before.part.total, after.part.total);
    return has_variation(before, after) ? std::max(by_samples, smallest_by_hosts(before, after)) : by_samples;
}

FunctionChange change_of(const FunctionKey& key, const Group& before, const Group& after) {
    FunctionChange change;
    change.key = key;
    change.samples_before = static_cast<uint64_t>(before.part.count);
    change.samples_after = static_cast<uint64_t>(after.part.count);
    change.share_before = before.mean();
    change.share_after = after.mean();
    if (std::max(before.part.count, after.part.count) >= pp::least_tested)
        change.probability = probability_of(before, after);
    change.visible = visible_change(before, after);
    return change;
}

void mark_discoveries(FunctionDiff& diff) {
    std::vector<double> probabilities;
    std::vector<FunctionChange*> tested;
    for (FunctionChange& change : diff.changes) {
        if (!change.probability) continue;
        probabilities.push_back(*change.probability);
        tested.push_back(&change);
    }
    const std::vector<bool> found = pp::discoveries(probabilities);
    for (size_t i = 0; i < tested.size(); ++i)
        tested[i]->is_significant = found[i];
    diff.tested = tested.size();
}

/// The median of what is visible of functions with shares near 1 %, scaled to 1 %.
double visible_at_1_percent(const std::vector<FunctionChange>& changes) {
    constexpr double shown = 0.01;
    std::vector<std::pair<double, double>> near;  // distance, relative change
    for (const FunctionChange& change : changes) {
        const double share = (change.share_before + change.share_after) / 2;
        if (change.probability && share > 0)
            near.emplace_back(std::abs(std::log(share / shown)), change.visible / share);
    }
    if (near.empty()) return 1;
    std::ranges::sort(near);
    near.resize(std::min(near.size(), typical_functions));
    std::ranges::sort(near, {}, &std::pair<double, double>::second);
    return std::min(shown * near[near.size() / 2].second, 1.0);
}

}  // namespace

FunctionDiff compare(const HostCounts& before, const HostCounts& after) {
    FunctionDiff diff;
    diff.hosts_before = before.totals.size();
    diff.hosts_after = after.totals.size();
    diff.is_over_hosts = diff.hosts_before > 1 && diff.hosts_after > 1;
    std::set<FunctionKey> keys;
    for (const auto* side : {&before, &after})
        for (const auto& [key, hosts] : side->functions)
            keys.insert(key);
    for (const FunctionKey& key : keys)
        diff.changes.push_back(change_of(key, group_of(before, key), group_of(after, key)));
    mark_discoveries(diff);
    diff.visible_at_1_percent = visible_at_1_percent(diff.changes);
    std::ranges::stable_sort(diff.changes, [](const FunctionChange& a, const FunctionChange& b) {
        if (a.is_significant != b.is_significant) return a.is_significant;
        return std::abs(a.difference()) > std::abs(b.difference());
    });
    return diff;
}

std::vector<FunctionCount> functions_of_both(const std::vector<FunctionCount>& before,
                                             const std::vector<FunctionCount>& after, size_t most) {
    std::map<FunctionKey, uint64_t> greatest;
    for (const auto* side : {&before, &after})
        for (const FunctionCount& each : *side) {
            uint64_t& samples = greatest[each.key];
            samples = std::max(samples, each.samples);
        }
    std::vector<FunctionCount> functions;
    for (const auto& [key, samples] : greatest)
        functions.push_back({key, samples});
    std::ranges::stable_sort(functions, std::ranges::greater{}, &FunctionCount::samples);
    if (functions.size() > most) functions.resize(most);
    return functions;
}

}  // namespace op::fleet
