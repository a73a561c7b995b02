// SPDX-License-Identifier: GPL-2.0-or-later
// The statistics of shares: intervals, tests, and what a comparison can show. Counts are samples that were
// taken, which may be no whole numbers where several scales are mixed; shares are between 0 and 1.
#pragma once

#include <span>
#include <vector>

namespace op::pp {

/// All intervals have this confidence.
inline constexpr double confidence = 0.95;
/// Of the differences that a report marks, at most this part is expected to be chance.
inline constexpr double false_discovery_rate = 0.05;
/// A symbol with fewer samples than this on both sides is not tested.
inline constexpr double least_tested = 5;

/// So many of all samples.
struct Part {
    double count, total;

    double share() const { return total > 0 ? count / total : 0; }
};

/// An interval, low <= high.
struct Interval {
    double low, high;

    double half_width() const { return (high - low) / 2; }
};

/// The interval of a share; [0, 1] without samples. E. B. Wilson, Journal of the American Statistical
/// Association 22 (1927), 209-212.
Interval share_interval(const Part& part);

/// The interval of the difference between two shares, `after` less `before`. R. G. Newcombe, Statistics in
/// Medicine 17 (1998), 873-890, method 10.
Interval difference_interval(const Part& before, const Part& after);

/// How likely a difference at least as great as that is if both shares are the same; 1 without samples on a
/// side. The pooled z test, or Fisher's exact test where an expected count is less than 5.
double equal_shares_probability(const Part& before, const Part& after);

/// Samples as they were taken, `weight` periods of their event each.
struct Rate {
    double count, weight;

    double periods() const { return count * weight; }
};

/// Recordings of one program differ by so much by themselves: the greater rate is so many times the smaller.
inline constexpr double alike_rates = 1.1;

/// How likely counts at least as far apart are if their rates differ by a factor of alike_rates at most; 1 if
/// the counts do not differ by more. The conditional test: J. Przyborowski and H. Wilenski, Biometrika 31
/// (1940), 313-323.
double alike_rates_probability(const Rate& before, const Rate& after);

/// The same for the means of two groups of numbers that vary from run to run, at least two each. B. L. Welch,
/// Biometrika 34 (1947), 28-35. `by_chance` is the variance of the difference of their means that samples
/// have at least: where a few runs happen to be more alike than that, they are no better known. Groups
/// without any variation are equal or certainly not.
double equal_means_probability(std::span<const double> before, std::span<const double> after,
                               double by_chance = 0);

/// The difference between those means, `after` less `before`, and its interval.
double mean_change(std::span<const double> before, std::span<const double> after);
Interval mean_difference_interval(std::span<const double> before, std::span<const double> after,
                                  double by_chance = 0);

/// The quantile of Student's distribution at `probability`, from 0.5 to below 1.
double student_quantile(double probability, double freedom);

/// Which of many tests found something, at false_discovery_rate. Y. Benjamini and Y. Hochberg, Journal of the
/// Royal Statistical Society B 57 (1995), 289-300.
std::vector<bool> discoveries(std::span<const double> probabilities);

/// The smallest change of a share that one test finds in four of five cases (power 0.8, two-sided at 0.05),
/// from samples of these numbers before and after; 1 without samples on a side.
double smallest_change(double share, double total_before, double total_after);

/// The variance of the mean share of several runs with these totals, where runs differ by chance only.
double mean_variance(double share, std::span<const double> totals);

/// The smallest change of a mean that one test of equal_means_probability() finds in four of five cases, from
/// so many runs on both sides together whose difference has that variance; at most 1.
double smallest_mean_change(double variance, double runs);

}  // namespace op::pp
