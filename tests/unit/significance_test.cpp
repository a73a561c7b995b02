// SPDX-License-Identifier: GPL-2.0-or-later
// Intervals and tests over made-up sample streams with a fixed seed.
#include "libpp/report/significance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <random>

#include "libop/base/error.h"
#include "libpp/report/share_intervals.h"
#include "tests/unit/drawn_program.h"

namespace op::pp {

namespace {

using Words = std::vector<std::string>;

ReportHead head(size_t columns) {
    ReportHead result;
    for (size_t i = 0; i < columns; ++i)
        result.columns.push_back({"E", 100 + i, 0, {}, {}, {}});
    return result;
}

/// 40 symbols from 30 % down; the last 15 have 1 % each.
std::vector<double> many_shares() {
    std::vector<double> shares{0.30, 0.15, 0.10, 0.05, 0.05};
    shares.insert(shares.end(), 20, 0.01);
    shares.insert(shares.end(), 15, 0.01);
    return shares;
}

Words marked(const SymbolReport& comparison) {
    Words names;
    for (size_t i = 0; i < comparison.rows.size(); ++i)
        if (comparison.differences[i].is_significant) names.emplace_back(comparison.rows[i].name);
    return names;
}

/// Runs that differ: each symbol takes up to `spread` more or less of its share in each.
class VariedRuns {
public:
    VariedRuns(std::vector<double> shares, double spread) : shares_(std::move(shares)), spread_(spread) {}

    void slow_down(size_t symbol, double factor) { shares_[symbol] *= factor; }

    /// The lists of several runs, and their sum.
    std::vector<SymbolReport> runs(size_t count) {
        std::vector<SymbolReport> reports;
        for (size_t i = 0; i < count; ++i) {
            std::vector<double> shares = shares_;
            double all = 0;
            for (double& share : shares)
                all += share *= 1 + spread_ * (2 * static_cast<double>(random_() >> 11) * 0x1p-53 - 1);
            for (double& share : shares)
                share /= all;
            programs_.push_back(std::make_unique<test::DrawnProgram>(shares, random_()));
            reports.push_back(programs_.back()->run(100'000));
        }
        return reports;
    }

private:
    std::vector<double> shares_;
    double spread_;
    std::mt19937_64 random_{20261126};
    std::vector<std::unique_ptr<test::DrawnProgram>> programs_;  ///< the lists have their names
};

SymbolReport sum_of(const std::vector<SymbolReport>& reports) {
    SymbolReport sum = reports.front();
    sum.head.sessions = reports.size();
    for (size_t run = 1; run < reports.size(); ++run) {
        EXPECT_EQ(reports[run].rows.size(), sum.rows.size());
        for (size_t i = 0; i < sum.counts.size(); ++i)
            sum.counts[i] += reports[run].counts[i];
        sum.totals[0] += reports[run].totals[0];
    }
    return sum;
}

/// The comparison of sessions.
SymbolReport compared(const SessionReports<SymbolReport>& sessions) {
    return report_difference(sum_of(sessions.before), sum_of(sessions.after), {}, sessions);
}

/// A list of one column by name, at one address each, as a session has it.
SymbolReport list(const std::vector<std::pair<const char*, uint64_t>>& rows, size_t sessions = 1) {
    SymbolReport report;
    report.head = head(1);
    report.head.sessions = sessions;
    report.columns.images = {"/bin/a"};
    report.totals = {0};
    for (const auto& [name, count] : rows) {
        report.rows.push_back({0, 0, LinkAddress{0x100 * (report.rows.size() + 1)}, name, std::nullopt});
        report.counts.push_back(count);
        report.totals[0] += count;
    }
    return report;
}

/// A list of one symbol and a rest, with two columns of the axis.
SymbolReport of_two_columns(Axis axis, std::array<uint64_t, 2> f, std::array<uint64_t, 2> rest,
                            size_t sessions = 1) {
    SymbolReport report = list({{"f", 0}, {"rest", 0}}, sessions);
    report.head = head(2);
    report.head.axis = axis;
    report.head.sessions = sessions;
    report.counts = {f[0], f[1], rest[0], rest[1]};
    report.totals = {f[0] + rest[0], f[1] + rest[1]};
    return report;
}

/// A comparison of three sessions a side, of which all but one had no sample in the first column.
SymbolReport where_two_sessions_lack_a_column(Axis axis) {
    const auto all = of_two_columns(axis, {30, 1500}, {70, 8500}),
               part = of_two_columns(axis, {0, 1500}, {0, 8500}),
               sum = of_two_columns(axis, {30, 4500}, {70, 25'500}, 3);
    ReportOptions options;
    options.compares_counts = true;
    return report_difference(sum, sum, options, {{all, part, part}, {all, part, part}});
}

}  // namespace

TEST(ShareIntervals, cover_the_true_share_in_93_to_97_of_100_runs) {
    const std::vector<double> shares{0.5, 0.3, 0.12, 0.05, 0.02, 0.01};
    test::DrawnProgram program(shares);
    std::vector<int> covered(shares.size());
    for (int run = 0; run < 200; ++run) {
        const SymbolReport report = program.run(10'000);
        ASSERT_EQ(report.rows.size(), shares.size());
        for (size_t i = 0; i < shares.size(); ++i) {
            const Interval interval = percent_interval(report.head, 0, report.counts[i], report.totals[0]);
            covered[i] += interval.low <= 100 * shares[i] && 100 * shares[i] <= interval.high;
        }
    }
    int all = 0;
    for (const int runs : covered)
        all += runs;
    EXPECT_GE(all, 0.93 * 200 * static_cast<double>(shares.size()));
    EXPECT_LE(all, 0.97 * 200 * static_cast<double>(shares.size()));
}

TEST(ShareIntervals, of_scaled_counts_are_those_of_the_samples_taken) {
    ReportHead scaled = head(2);
    scaled.weights = {1, 4};
    const Interval taken = percent_interval(scaled, 0, 30, 50),
                   counted = percent_interval(scaled, 1, 120, 200);
    EXPECT_DOUBLE_EQ(taken.low, counted.low);
    EXPECT_DOUBLE_EQ(taken.high, counted.high);
    EXPECT_EQ(interval_text(scaled, 0, 30, 50), interval_text(scaled, 1, 120, 200));
}

TEST(Significance, two_runs_of_one_program_have_marks_in_one_pair_of_20_at_most) {
    test::DrawnProgram program(many_shares());
    int pairs = 0;
    for (int pair = 0; pair < 20; ++pair) {
        const SymbolReport first = program.run(50'000), second = program.run(100'000);
        pairs += !marked(report_difference(first, second, {})).empty();
    }
    EXPECT_LE(pairs, 1);
}

TEST(Significance, a_symbol_that_became_ten_percent_slower_is_marked_and_no_other) {
    test::DrawnProgram program(many_shares());
    const SymbolReport before = program.run(1'000'000);
    program.slow_down(30, 1.1);
    const SymbolReport after = program.run(1'000'000);
    const SymbolReport comparison = report_difference(before, after, {});
    EXPECT_EQ(marked(comparison), Words{"f30"});
    EXPECT_EQ(comparison.power.tested, 40u);
    EXPECT_NEAR(comparison.power.smallest_change.at(0), 0.039, 0.0005);
    ReportOptions only;
    only.significant = true;
    EXPECT_EQ(report_difference(before, after, only).rows.size(), 1u);
}

// One function 45 times as fast, the rest of the program as before.
TEST(ComparedCounts, a_faster_function_is_marked_and_what_is_as_before_is_not) {
    const SymbolReport before = list({{"sorting", 4500}, {"parsing", 500}, {"printing", 80}, {"gone", 10}}),
                       after = list({{"sorting", 100}, {"parsing", 521}, {"printing", 93}, {"come", 12}});
    ReportOptions options;
    options.compares_counts = true;
    const SymbolReport comparison = report_difference(before, after, options);
    EXPECT_EQ(marked(comparison), Words{"sorting"});
    Words names;
    for (const SymbolRow& row : comparison.rows)
        names.emplace_back(row.name);
    EXPECT_EQ(names, (Words{"sorting", "parsing", "printing", "come", "gone"}))
        << "the greatest change first";
    const Words of_shares = marked(report_difference(before, after, {}));
    EXPECT_NE(std::ranges::find(of_shares, "parsing"), of_shares.end()) << "its share grew";
}

TEST(ComparedCounts, of_few_samples_or_small_changes_have_no_mark) {
    const auto marks = [](uint64_t before, uint64_t after) {
        ReportOptions options;
        options.compares_counts = true;
        return marked(report_difference(list({{"f", before}, {"rest", 10'000}}),
                                        list({{"f", after}, {"rest", 10'000}}), options));
    };
    EXPECT_EQ(marks(1000, 1600), Words{"f"});
    EXPECT_EQ(marks(1600, 1000), Words{"f"});
    EXPECT_EQ(marks(0, 1600), Words{"f"});
    EXPECT_EQ(marks(1000, 1250), Words{}) << "less than 3 % of all";
    EXPECT_EQ(marks(20'000, 21'900), Words{}) << "less than a tenth";
}

TEST(ComparedCounts, a_threshold_is_a_share_of_either_side) {
    ReportOptions options;
    options.compares_counts = true;
    options.threshold = 10;
    const SymbolReport comparison =
        report_difference(list({{"gone", 100}, {"less", 120}, {"little", 30}, {"rest", 750}}),
                          list({{"less", 10}, {"come", 99}, {"more", 100}, {"rest", 791}}), options);
    Words names;
    for (const SymbolRow& row : comparison.rows)
        names.emplace_back(row.name);
    EXPECT_EQ(names, (Words{"less", "gone", "more", "rest"}));
}

TEST(ComparedCounts, of_three_sessions_on_each_side_are_means_tested_by_what_varies) {
    const auto session = [](uint64_t f, uint64_t rest) { return list({{"f", f}, {"rest", rest}}); };
    const SessionReports<SymbolReport> sessions{
        {session(1000, 90'000), session(1020, 99'000), session(980, 81'000)},
        {session(1200, 91'000), session(1180, 80'000), session(1220, 99'000), session(1200, 90'000)}};
    ReportOptions options;
    options.compares_counts = true;
    const SymbolReport comparison =
        report_difference(sum_of(sessions.before), sum_of(sessions.after), options, sessions);
    EXPECT_EQ(comparison.power.test, ComparisonTest::mean_counts);
    EXPECT_EQ(marked(comparison), Words{"f"}) << "by a fifth in each, of 1 % of all";
    const SampleChange total = comparison.change_of(0, comparison.totals_before[0], comparison.totals[0]);
    EXPECT_EQ(total.before, 91'000);
    EXPECT_EQ(total.after, 91'200);
}

TEST(ComparedCounts, sessions_that_lack_an_event_do_not_count_in_its_column) {
    const SymbolReport events = where_two_sessions_lack_a_column(Axis::event);
    EXPECT_EQ(events.power.sessions_before, (std::vector<size_t>{1, 3}));
    EXPECT_EQ(events.change_of(0, events.totals_before[0], events.totals[0]).before, 100);
    EXPECT_EQ(events.change_of(1, events.totals_before[1], events.totals[1]).after, 10'000);
}

TEST(ComparedCounts, sessions_without_samples_on_a_CPU_count_in_its_column) {
    const SymbolReport cpus = where_two_sessions_lack_a_column(Axis::cpu);
    EXPECT_EQ(cpus.power.sessions_before, (std::vector<size_t>{3, 3}));
    EXPECT_DOUBLE_EQ(cpus.change_of(0, cpus.totals_before[0], cpus.totals[0]).before, 100 / 3.);
    EXPECT_EQ(cpus.power.test, ComparisonTest::mean_counts);
}

TEST(ComparedCounts, are_promised_no_rate_of_wrong_marks_without_sessions) {
    const SymbolReport one = list({{"f", 600}, {"g", 400}});
    ReportOptions options;
    options.compares_counts = true;
    for (const std::string& fact : report_difference(one, one, options).head.facts)
        EXPECT_EQ(fact.find("5 %"), std::string::npos) << fact;
    EXPECT_NE(report_difference(one, one, {}).head.facts.front().find("5 %"), std::string::npos);
}

TEST(Significance, the_column_that_was_asked_for_decides_on_the_order) {
    for (const bool compares_counts : {false, true}) {
        for (const size_t column : {0, 1}) {
            SymbolReport old = list({{"f", 0}, {"g", 0}, {"rest", 0}}), now = old;
            for (SymbolReport* const side : {&old, &now}) {
                side->head = head(2);
                side->head.axis = Axis::cpu;
                side->totals = {10'000, 10'000};
            }
            old.counts = {4000, 3000, 1000, 1000, 5000, 6000};
            now.counts = {1000, 2500, 1500, 4000, 7500, 3500};
            ReportOptions options;
            options.compares_counts = compares_counts;
            options.sort_column = {column, true};
            const SymbolReport comparison = report_difference(old, now, options);
            EXPECT_EQ(comparison.rows.front().name, column == 0 ? "f" : "g") << compares_counts;
        }
    }
}

TEST(Significance, rows_that_are_left_out_count_as_tests_and_few_samples_do_not) {
    test::DrawnProgram program({0.6, 0.39, 0.01});
    const SymbolReport first = program.run(200), second = program.run(200);
    ReportOptions options;
    options.significant = true;
    const SymbolReport comparison = report_difference(first, second, options);
    EXPECT_TRUE(comparison.rows.empty());
    EXPECT_EQ(comparison.power.tested, 2u);
    EXPECT_EQ(comparison.power.untested, 1u);
}

TEST(Significance, sessions_that_are_alike_by_luck_or_the_same_prove_no_change_of_few_samples) {
    const auto session = [](uint64_t f, uint64_t g) { return list({{"f", f}, {"g", g}}); };
    for (const bool compares_counts : {false, true}) {
        const SessionReports<SymbolReport> sessions{{session(9, 800), session(9, 800), session(9, 800)},
                                                    {session(5, 800), session(5, 800), session(5, 800)}};
        ReportOptions options;
        options.compares_counts = compares_counts;
        const SymbolReport comparison =
            report_difference(sum_of(sessions.before), sum_of(sessions.after), options, sessions);
        EXPECT_EQ(marked(comparison), Words{});
        EXPECT_GT(comparison.differences.front().probability, 0.05);
    }
}

TEST(Significance, the_head_is_on_the_column_with_most_samples) {
    SymbolReport before = list({{"f", 600}, {"g", 400}});
    before.head = head(2);
    before.totals = {3, 1000};
    before.counts = {1, 600, 2, 400};
    const SymbolReport comparison = report_difference(before, before, {});
    EXPECT_EQ(comparison.power.tested, 2u);
    EXPECT_EQ(comparison.power.column, 1u);
}

// The values were computed with 30 digits, by integrating the density of Student's distribution.
TEST(Significance, three_sessions_on_each_side_are_tested_by_their_shares) {
    const auto session = [](uint64_t main, uint64_t work, uint64_t push, uint64_t lib) {
        return list({{"main", main}, {"work", work}, {"push", push}, {"lib", lib}});
    };
    const SessionReports<SymbolReport> sessions{
        {session(500, 300, 150, 50), session(470, 330, 140, 60), session(525, 270, 160, 45)},
        {session(500, 400, 60, 40), session(470, 430, 55, 45), session(520, 370, 65, 45)}};
    const SymbolReport comparison = compared(sessions);
    EXPECT_EQ(comparison.power.test, ComparisonTest::means);
    EXPECT_EQ(comparison.power.sessions_before.at(0), 3u);
    EXPECT_EQ(marked(comparison), (Words{"work", "push"}));
    for (size_t i = 0; i < comparison.rows.size(); ++i) {
        const Difference& difference = comparison.differences[i];
        if (comparison.rows[i].name == "work") {
            EXPECT_NEAR(*difference.probability, 0.01506769856, 1e-9);
            EXPECT_NEAR(difference.change, 10, 1e-9);
            EXPECT_NEAR(difference.points.low, 3.199126193, 1e-6);
            EXPECT_NEAR(difference.points.high, 16.80087381, 1e-6);
        }
        if (comparison.rows[i].name == "push") {
            // The six sessions happen to be more alike than samples are: 0.000885 if that were taken for
            // knowledge.
            EXPECT_NEAR(*difference.probability, 0.00159843071541, 1e-9);
        }
        if (comparison.rows[i].name == "main") {
            EXPECT_NEAR(*difference.probability, 0.9420640549, 1e-9);
        }
    }
}

TEST(Significance, two_sessions_on_a_side_are_tested_as_one) {
    const SymbolReport one = list({{"f", 600}, {"g", 400}});
    const SessionReports<SymbolReport> sessions{{one, one, one}, {one, one}};
    const SymbolReport comparison = compared(sessions);
    EXPECT_EQ(comparison.power.test, ComparisonTest::shares);
    EXPECT_EQ(comparison.power.sessions_before.at(0), 3u);
    EXPECT_EQ(comparison.power.sessions_after.at(0), 2u);
    EXPECT_NE(comparison.head.facts.back().find("here are 3 and 2"), std::string::npos);
}

TEST(Significance, a_session_that_lacks_a_symbol_or_all_samples_counts_as_it_is) {
    const SymbolReport with = list({{"f", 600}, {"g", 400}}), without = list({{"f", 1000}}),
                       empty = list({{"f", 0}, {"g", 0}});
    SymbolReport before = list({{"f", 2600}, {"g", 400}}, 3), after = list({{"f", 1800}, {"g", 1200}}, 3);
    const SymbolReport comparison =
        report_difference(before, after, {}, {{with, without, without}, {with, with, with}});
    EXPECT_EQ(comparison.power.test, ComparisonTest::means);
    const SymbolReport with_empty =
        report_difference(before, after, {}, {{with, without, empty}, {with, with, with}});
    EXPECT_EQ(with_empty.power.test, ComparisonTest::shares) << "two sessions have samples";
    EXPECT_EQ(with_empty.power.sessions_before.at(0), 2u);
    EXPECT_EQ(with_empty.power.sessions_after.at(0), 3u);
}

TEST(Significance, a_change_lies_in_its_own_interval_whatever_the_length_of_its_sessions) {
    const auto rare = [](uint64_t f, uint64_t g) { return list({{"f", f}, {"g", g}}); };
    const SessionReports<SymbolReport> sessions{{rare(10, 90), rare(11, 89), rare(50'000, 50'000)},
                                                {rare(40, 60), rare(41, 59), rare(40, 60)}};
    const SymbolReport comparison = compared(sessions);
    ASSERT_EQ(comparison.power.test, ComparisonTest::means);
    for (size_t i = 0; i < comparison.rows.size(); ++i) {
        const Difference& difference = comparison.differences[i];
        EXPECT_LE(difference.points.low, difference.change);
        EXPECT_LE(difference.change, difference.points.high);
        if (comparison.rows[i].name != "f") continue;
        EXPECT_NEAR(difference.change, 100.0 * (121.0 / 300 - 71.0 / 300), 1e-9);
        EXPECT_LT(difference.percent, 0) << "by all samples, where the long session counts most";
    }
}

TEST(Significance, runs_that_vary_have_marks_only_where_that_is_not_accounted_for) {
    VariedRuns program(many_shares(), 0.3);
    int pairs = 0;
    size_t marks_of_one = 0;
    for (int pair = 0; pair < 10; ++pair) {
        SessionReports<SymbolReport> sessions{program.runs(6), program.runs(6)};
        pairs += !marked(compared(sessions)).empty();
        marks_of_one += marked(report_difference(sessions.before[0], sessions.after[0], {})).size();
    }
    EXPECT_LE(pairs, 1);
    EXPECT_GT(marks_of_one, 100u) << "of 400 rows";
    program.slow_down(1, 3);
    VariedRuns before(many_shares(), 0.3);
    const SymbolReport slower = compared({before.runs(6), program.runs(6)});
    EXPECT_EQ(slower.rows.front().name, "f1") << "what changed is first";
    EXPECT_TRUE(slower.differences.front().is_significant);
}

TEST(Comparison, rows_that_changed_more_than_chance_are_first_unless_an_order_is_asked_for) {
    const SymbolReport before = list({{"same", 60'000}, {"more", 1'000}, {"less", 39'000}}),
                       after = list({{"same", 60'000}, {"more", 4'000}, {"less", 36'000}});
    const auto names = [&](const ReportOptions& options) {
        Words result;
        for (const SymbolRow& row : report_difference(before, after, options).rows)
            result.emplace_back(row.name);
        return result;
    };
    EXPECT_EQ(names({}), (Words{"less", "more", "same"}));
    ReportOptions options;
    options.reverse = true;
    EXPECT_EQ(names(options), (Words{"same", "more", "less"}));
    options.reverse = false;
    options.sort = {SortKey::sample};
    EXPECT_EQ(names(options), (Words{"same", "less", "more"}));
}

TEST(Comparison, of_other_events_is_refused_with_both_named) {
    SymbolReport before = list({{"f", 1}}), after = before;
    after.head.columns[0].count = 7;
    try {
        report_difference(before, after, {});
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::usage);
        EXPECT_NE(std::string(error.what()).find("the first has E:100, the second E:7"), std::string::npos)
            << error.what();
    }
}

}  // namespace op::pp
