// SPDX-License-Identifier: GPL-2.0-or-later
// The statistics of shares.
#include "libpp/profile/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

namespace op::pp {

namespace {

constexpr double z_confidence = 1.959963984540054;  // the normal distribution's quantile at 0.975
constexpr double power = 0.8, z_power = 0.8416212335729143;
constexpr double rounding = 1e-12;    // of a sum of shares, at most
constexpr double least_expected = 5;  // below, the normal distribution is no approximation
constexpr double most_exact = 10000;  // samples: above, it is one, and the exact distribution takes long

double two_sided(double z) {
    return std::erfc(std::fabs(z) / std::sqrt(2.0));
}

/// The smallest count that is expected if both shares are the same.
double smallest_expected(const Part& before, const Part& after) {
    const double all = before.total + after.total;
    const double count = before.count + after.count;
    return std::min(count, all - count) / all * std::min(before.total, after.total);
}

/// The sums of the probabilities of two-by-two tables with the same margins, relative to one of them.
struct Tables {
    double likely = 0;  ///< of those likelier than that one
    double others = 0;  ///< of all others

    void add(double weight) { (weight > 1 + 1e-7 ? likely : others) += weight; }
};

/// Adds the tables beyond one, `ratio(k)` being how much likelier the k-th is than the one before it.
template <class Ratio>
void add_tables(Tables& tables, double steps, const Ratio& ratio) {
    double weight = 1, most = 1;
    for (double k = 1; k <= steps; ++k) {
        weight *= ratio(k);
        most = std::max(most, weight);
        tables.add(weight);
        if (weight < most * 1e-18 || std::isinf(weight)) return;
    }
}

/// Fisher's exact test, two-sided: all tables that are not likelier than this one.
double exact_probability(const Part& before, const Part& after) {
    const double a = std::round(before.count), b = std::round(after.count);
    const double c = std::round(before.total) - a, d = std::round(after.total) - b;
    Tables tables;
    tables.add(1);
    add_tables(tables, std::min(b, c),
               [&](double k) { return (b - k + 1) * (c - k + 1) / (a + k) / (d + k); });
    add_tables(tables, std::min(a, d),
               [&](double k) { return (a - k + 1) * (d - k + 1) / (b + k) / (c + k); });
    return tables.others / (tables.others + tables.likely);
}

/// The continued fraction of the incomplete beta function. Abramowitz and Stegun, Handbook of Mathematical
/// Functions, 26.5.8, evaluated by Lentz's method.
double beta_fraction(double a, double b, double x) {
    constexpr double tiny = 1e-300;
    const auto nonzero = [](double value) { return std::fabs(value) < tiny ? tiny : value; };
    double c = 1, d = 1 / nonzero(1 - (a + b) * x / (a + 1));
    double result = d;
    for (int m = 1; m < 500; ++m) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1 / nonzero(1 + even * d);
        c = nonzero(1 + even / c);
        result *= c * d;
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / nonzero(1 + odd * d);
        c = nonzero(1 + odd / c);
        result *= c * d;
        if (std::fabs(c * d - 1) < 1e-15) break;
    }
    return result;
}

/// The regularised incomplete beta function I_x(a, b).
double incomplete_beta(double a, double b, double x) {
    if (x <= 0) return 0;
    if (x >= 1) return 1;
    const double front =
        std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x));
    if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

/// What Welch's test makes of two groups.
struct MeanDifference {
    double difference, squared_error, freedom;
};

double mean_of(std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// The squared standard error of the mean.
double squared_error(std::span<const double> values) {
    const double mean = mean_of(values);
    double squares = 0;
    for (const double value : values)
        squares += (value - mean) * (value - mean);
    const auto n = static_cast<double>(values.size());
    return squares / (n - 1) / n;
}

/// `by_chance`: as for equal_means_probability().
MeanDifference mean_difference(std::span<const double> before, std::span<const double> after,
                               double by_chance) {
    const double first = squared_error(before), second = squared_error(after);
    const double both = first + second;
    const auto degrees = [](size_t size) { return static_cast<double>(size) - 1; };
    const double freedom =
        both <= 0 ? degrees(before.size()) + degrees(after.size())
                  : both * both /
                        (first * first / degrees(before.size()) + second * second / degrees(after.size()));
    const double one = mean_of(before), other = mean_of(after);
    const bool is_rounding = std::fabs(other - one) <= rounding * (std::fabs(one) + std::fabs(other));
    return {is_rounding ? 0 : other - one, std::max(both, by_chance), freedom};
}

}  // namespace

Interval share_interval(const Part& part) {
    if (!(part.total > 0)) return {0, 1};
    const double n = part.total, p = std::min(part.share(), 1.0), z = z_confidence;
    const double center = p + z * z / (2 * n);
    const double half = z * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n));
    const double scale = 1 + z * z / n;
    const double low = part.count <= 0 ? 0 : (center - half) / scale;
    const double high = part.count >= n ? 1 : (center + half) / scale;
    return {std::clamp(low, 0.0, p), std::clamp(high, p, 1.0)};
}

Interval difference_interval(const Part& before, const Part& after) {
    const Interval first = share_interval(before), second = share_interval(after);
    const double p1 = before.share(), p2 = after.share();
    return {p2 - p1 - std::hypot(p2 - second.low, first.high - p1),
            p2 - p1 + std::hypot(second.high - p2, p1 - first.low)};
}

double equal_shares_probability(const Part& before, const Part& after) {
    if (!(before.total > 0) || !(after.total > 0)) return 1;
    const double pooled = (before.count + after.count) / (before.total + after.total);
    if (pooled <= 0 || pooled >= 1) return 1;
    if (smallest_expected(before, after) < least_expected) return exact_probability(before, after);
    const double error = std::sqrt(pooled * (1 - pooled) * (1 / before.total + 1 / after.total));
    return two_sided((after.share() - before.share()) / error);
}

double alike_rates_probability(const Rate& before, const Rate& after) {
    const bool is_more = after.periods() > before.periods();
    const Rate& most = is_more ? after : before;
    const Rate& least = is_more ? before : after;
    if (most.periods() <= least.periods() * alike_rates) return 1;
    const double ratio = alike_rates * least.weight / most.weight;  // of the expected counts, at the utmost
    const double p = ratio / (1 + ratio), n = most.count + least.count;
    if (n <= most_exact) return std::min(1.0, 2 * incomplete_beta(most.count, least.count + 1, p));
    return std::min(1.0, two_sided((most.count - n * p) / std::sqrt(n * p * (1 - p))));
}

double equal_means_probability(std::span<const double> before, std::span<const double> after,
                               double by_chance) {
    const auto [difference, squared, freedom] = mean_difference(before, after, by_chance);
    if (difference == 0) return 1;
    if (squared <= 0) return 0;
    return incomplete_beta(freedom / 2, 0.5, freedom / (freedom + difference * difference / squared));
}

double mean_change(std::span<const double> before, std::span<const double> after) {
    return mean_difference(before, after, 0).difference;
}

Interval mean_difference_interval(std::span<const double> before, std::span<const double> after,
                                  double by_chance) {
    const auto [difference, squared, freedom] = mean_difference(before, after, by_chance);
    const double half =
        squared <= 0 ? 0 : student_quantile(1 - (1 - confidence) / 2, freedom) * std::sqrt(squared);
    return {difference - half, difference + half};
}

double student_quantile(double probability, double freedom) {
    double low = 0, high = 1;  // of freedom / (freedom + t^2)
    for (int i = 0; i < 200; ++i) {
        const double middle = (low + high) / 2;
        (incomplete_beta(freedom / 2, 0.5, middle) < 2 * (1 - probability) ? low : high) = middle;
    }
    return high > 0 ? std::sqrt(freedom * (1 - high) / high) : std::numeric_limits<double>::infinity();
}

std::vector<bool> discoveries(std::span<const double> probabilities) {
    std::vector<double> sorted(probabilities.begin(), probabilities.end());
    std::ranges::sort(sorted);
    double greatest = -1;  // of those found
    for (size_t i = 0; i < sorted.size(); ++i)
        if (sorted[i] <=
            static_cast<double>(i + 1) / static_cast<double>(sorted.size()) * false_discovery_rate)
            greatest = sorted[i];
    std::vector<bool> found;
    for (const double probability : probabilities)
        found.push_back(probability <= greatest);
    return found;
}

double smallest_change(double share, double total_before, double total_after) {
    if (!(total_before > 0) || !(total_after > 0)) return 1;
    const double error = std::sqrt(share * (1 - share) * (1 / total_before + 1 / total_after));
    return std::min((z_confidence + z_power) * error, 1.0);
}

double mean_variance(double share, std::span<const double> totals) {
    double sum = 0;
    for (const double total : totals)
        sum += share * (1 - share) / total;
    const auto n = static_cast<double>(totals.size());
    return sum / n / n;
}

double smallest_mean_change(double variance, double runs) {
    const double freedom = runs - 2;
    return std::min((student_quantile(1 - (1 - confidence) / 2, freedom) + student_quantile(power, freedom)) *
                        std::sqrt(variance),
                    1.0);
}

}  // namespace op::pp
