// SPDX-License-Identifier: GPL-2.0-or-later
// Which differences of a comparison are more than chance. Samples of one recording are independent of each
// other, runs are not the same: what varies from run to run is known from several sessions on each side.
#include "libpp/report/significance.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "libpp/report/share_intervals.h"

namespace op::pp {

namespace {

constexpr double shown_share = 0.01;  // of which the smallest change is given
// Of all samples of the longer recording. Of 20 pairs of recordings of one program, 8,000 samples each on a
// loaded virtual machine, the row that differed most differed by 0.6 to 2.4 %, beyond what chance explains:
// a sampling period may be in step with a loop, and other programs interrupt.
constexpr double least_change_of_counts = 0.03;

/// Both parts of a row in a column, as they were taken.
struct Parts {
    Part before, after;

    bool is_testable() const { return std::max(before.count, after.count) >= least_tested; }
};

/// True if the session counts in the column: it has samples there. Where samples are compared, a thread or a
/// CPU that had none is no gap: another one had them.
bool counts_in(const SessionCounts& session, const ReportHead& head, size_t column, Tested tested) {
    if (tested == Tested::shares || head.axis == Axis::event) return session.totals[column] > 0;
    return std::ranges::any_of(session.totals, [](uint64_t total) { return total > 0; });
}

/// The sessions of a side that count in a column.
class ColumnSessions {
public:
    ColumnSessions(const ComparedSide& side, size_t column, Tested tested)
        : width_(side.totals.size()), column_(column) {
        for (const SessionCounts& session : side.sessions)
            if (counts_in(session, side.head, column, tested)) {
                sessions_.push_back(&session);
                totals_.push_back(taken_part(side.head, column, 0, session.totals[column]).total);
            }
    }

    size_t size() const { return sessions_.size(); }
    /// Samples as they were taken, by session.
    const std::vector<double>& totals() const { return totals_; }
    /// The shares of a row.
    std::vector<double> shares(size_t row) const {
        std::vector<double> result = counts(row);
        for (size_t i = 0; i < result.size(); ++i)
            result[i] /= static_cast<double>(sessions_[i]->totals[column_]);
        return result;
    }
    /// The counts of a row.
    std::vector<double> counts(size_t row) const {
        std::vector<double> result;
        for (const SessionCounts* const session : sessions_)
            result.push_back(static_cast<double>(session->counts[row * width_ + column_]));
        return result;
    }

private:
    size_t width_, column_;
    std::vector<const SessionCounts*> sessions_;
    std::vector<double> totals_;
};

double median(std::vector<double> values) {
    if (values.empty()) return 1;
    const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

/// The squared standard error of the mean of values.
double squared_error(const std::vector<double>& values) {
    double mean = 0, squares = 0;
    const auto n = static_cast<double>(values.size());
    for (const double value : values)
        mean += value / n;
    for (const double value : values)
        squares += (value - mean) * (value - mean);
    return squares / (n - 1) / n;
}

/// Those that count, by column; all that were selected where the counts of each are not known.
std::vector<size_t> sessions_by_column(const ComparedSide& side, Tested tested) {
    std::vector<size_t> sessions;
    for (size_t column = 0; column < side.totals.size(); ++column)
        sessions.push_back(side.sessions.empty() ? side.head.sessions
                                                 : ColumnSessions(side, column, tested).size());
    for (size_t& number : sessions)
        number = std::max<size_t>(number, 1);
    return sessions;
}

/// The column with most samples: of several threads the first may have hardly any.
size_t main_column(const ComparedSide& after, const ComparedSide& before) {
    size_t main = 0;
    const auto samples = [&](size_t column) { return std::max(after.totals[column], before.totals[column]); };
    for (size_t column = 1; column < after.totals.size(); ++column)
        if (samples(column) > samples(main)) main = column;
    return main;
}

/// Tests the rows of one column.
class ColumnTest {
public:
    ColumnTest(const ComparedSide& before, const ComparedSide& after, std::span<Difference> differences,
               Tested tested, size_t column)
        : before_(before),
          after_(after),
          differences_(differences),
          tested_(tested),
          column_(column),
          first_(before, column, tested),
          second_(after, column, tested) {}

    void run(ComparisonPower& power) {
        old_weight_ = weight(before_, power.sessions_before);
        new_weight_ = weight(after_, power.sessions_after);
        const size_t rows = differences_.size() / after_.totals.size();
        std::vector<double> probabilities;
        std::vector<size_t> tested;
        for (size_t row = 0; row < rows; ++row) {
            Difference& difference = differences_[at(row)];
            if (!test(row, difference)) continue;
            probabilities.push_back(*difference.probability);
            tested.push_back(row);
        }
        const std::vector<bool> found = discoveries(probabilities);
        for (size_t i = 0; i < tested.size(); ++i)
            differences_[at(tested[i])].is_significant = found[i] && is_great(tested[i]);
        power.smallest_change.push_back(100 * smallest());
        if (column_ != main_column(after_, before_)) return;
        power.column = column_;
        power.test = test_used();
        power.tested = tested.size();
        power.untested = rows - tested.size();
    }

private:
    bool has_sessions() const { return first_.size() >= least_sessions && second_.size() >= least_sessions; }
    size_t at(size_t row) const { return row * after_.totals.size() + column_; }

    Parts parts(size_t row) const {
        return {taken_part(before_.head, column_, before_.counts[at(row)], before_.totals[column_]),
                taken_part(after_.head, column_, after_.counts[at(row)], after_.totals[column_])};
    }

    ComparisonTest test_used() const {
        if (tested_ == Tested::counts)
            return has_sessions() ? ComparisonTest::mean_counts : ComparisonTest::counts;
        return has_sessions() ? ComparisonTest::means : ComparisonTest::shares;
    }

    bool test(size_t row, Difference& difference) {
        const Parts both = parts(row);
        if (tested_ == Tested::counts) {
            if (both.is_testable()) difference.probability = counts_probability(row, both);
            return both.is_testable();
        }
        if (has_sessions())
            test_means(row, both, difference);
        else
            test_shares(both, difference);
        difference.change *= 100;
        difference.points = {100 * difference.points.low, 100 * difference.points.high};
        return both.is_testable();
    }

    static void test_shares(const Parts& parts, Difference& difference) {
        difference.change = parts.after.share() - parts.before.share();
        difference.points = difference_interval(parts.before, parts.after);
        if (parts.is_testable()) difference.probability = equal_shares_probability(parts.before, parts.after);
    }

    /// True if runs of one program do not differ by so much by themselves. Of shares the probability is all
    /// there is, which is for these recordings.
    bool is_great(size_t row) const {
        if (test_used() != ComparisonTest::counts) return true;
        const auto [before, after] = parts(row);
        return std::fabs(after.count * new_weight_ - before.count * old_weight_) >
               least_change_of_counts * std::max(after.total * new_weight_, before.total * old_weight_);
    }

    double counts_probability(size_t row, const Parts& parts) const {
        if (has_sessions())
            return equal_means_probability(
                first_.counts(row), second_.counts(row),
                variance_of_mean(parts.before, old_weight_) + variance_of_mean(parts.after, new_weight_));
        return alike_rates_probability({parts.before.count, old_weight_}, {parts.after.count, new_weight_});
    }

    /// Of the mean count of sessions that differ by chance only, in periods of the event.
    static double variance_of_mean(const Part& part, double weight) {
        return std::max(part.count, 1.0) * weight * weight;
    }

    /// The periods of the event for each sample that was taken, in the mean of a side's sessions.
    double weight(const ComparedSide& side, const std::vector<size_t>& sessions) const {
        const double periods = column_ < side.head.weights.size() ? side.head.weights[column_] : 1;
        return periods / static_cast<double>(sessions[column_]);
    }

    void test_means(size_t row, const Parts& parts, Difference& difference) {
        const std::vector<double> before = first_.shares(row), after = second_.shares(row);
        const double share =
            (parts.before.count + parts.after.count) / (parts.before.total + parts.after.total);
        difference.change = mean_change(before, after);
        difference.points = mean_difference_interval(before, after, variance(share));
        if (!parts.is_testable()) return;
        difference.probability = equal_means_probability(before, after, variance(share));
        if (const double by_chance = variance(share); by_chance > 0)
            excess_.push_back((squared_error(before) + squared_error(after)) / by_chance);
    }

    /// The variance of the difference of mean shares where runs differ by chance only.
    double variance(double share) const {
        return mean_variance(share, first_.totals()) + mean_variance(share, second_.totals());
    }

    /// Of sessions: by how much more than chance the rows vary, in the median.
    double smallest() const {
        if (has_sessions())
            return smallest_mean_change(std::max(1.0, median(excess_)) * variance(shown_share),
                                        static_cast<double>(first_.size() + second_.size()));
        const Parts none{taken_part(before_.head, column_, 0, before_.totals[column_]),
                         taken_part(after_.head, column_, 0, after_.totals[column_])};
        return smallest_change(shown_share, none.before.total, none.after.total);
    }

    const ComparedSide& before_;
    const ComparedSide& after_;
    std::span<Difference> differences_;
    Tested tested_;
    size_t column_;
    double old_weight_ = 1, new_weight_ = 1;  ///< see weight()
    ColumnSessions first_, second_;
    std::vector<double> excess_;  ///< of tested rows: the variance found, in that of chance
};

std::string digits(const char* format, double number) {
    char text[64];
    std::snprintf(text, sizeof text, format, number);
    return text;
}

bool is_of_counts(const ComparisonPower& power) {
    return power.test == ComparisonTest::counts || power.test == ComparisonTest::mean_counts;
}

std::string test_text(const ComparisonPower& power) {
    const std::string one = power.are_hosts ? "host" : "session";
    const std::string sessions = std::to_string(power.sessions_before.at(power.column)) + " and " +
                                 std::to_string(power.sessions_after.at(power.column));
    if (power.test == ComparisonTest::means)
        return "tested by Welch's test of the shares in each " + one + ", " + sessions +
               " of them: what varies from " + (power.are_hosts ? "host to host" : "run to run") +
               " is accounted for; diff % is of all samples of each side";
    if (power.test == ComparisonTest::mean_counts)
        return "tested by Welch's test of the samples in each " + one + ", " + sessions +
               " of them: what varies from " + (power.are_hosts ? "host to host" : "run to run") +
               " is accounted for; samples are the mean of a side's " + one + "s";
    if (power.test == ComparisonTest::counts)
        return "variation from run to run is not known: changes of less than a tenth of a row, or of 3 % of "
               "all samples, have no mark (with " +
               std::to_string(least_sessions) + " " + one + "s or more on each side it is; here are " +
               sessions + ")";
    return "tested by the shares of all samples: variation from run to run is not known, the marks are for "
           "these recordings (with " +
           std::to_string(least_sessions) + " " + one + "s or more on each side it is; here are " + sessions +
           ")";
}

}  // namespace

ComparisonPower test_differences(const ComparedSide& before, const ComparedSide& after,
                                 std::span<Difference> differences, Tested tested) {
    ComparisonPower power;
    power.sessions_before = sessions_by_column(before, tested);
    power.sessions_after = sessions_by_column(after, tested);
    power.are_hosts = after.head.counts_hosts;
    for (size_t column = 0; column < after.totals.size(); ++column)
        ColumnTest(before, after, differences, tested, column).run(power);
    return power;
}

std::vector<std::string> test_facts(const ComparisonPower& power, std::string_view rows) {
    std::string tested = "* marks changes that are more than chance";
    if (power.test != ComparisonTest::counts)  // there chance is not all that differs
        tested += "; of these, 5 % at most are expected to be wrong";
    tested += " (" + std::to_string(power.tested) + " " + std::string(rows) + " tested";
    if (power.untested > 0) tested += ", " + std::to_string(power.untested) + " have too few samples";
    if (is_of_counts(power) || power.tested + power.untested == 0) return {tested + ")", test_text(power)};
    return {tested + ")",
            "the smallest change that this comparison could show: " +
                digits("%.2g", power.smallest_change.at(power.column)) +
                " percentage points, at a share of 1 %",
            test_text(power)};
}

}  // namespace op::pp
