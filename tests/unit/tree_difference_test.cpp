// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <memory>
#include <tuple>

#include "libop/base/error.h"
#include "libpp/report/report.h"
#include "libpp/report/writer.h"
#include "tests/unit/fake_stacks.h"

namespace op::pp {

namespace {

constexpr auto dump_short = static_cast<uint32_t>(StackEnd::dump_short);

/// A tree of everything, as comparisons take it.
CallTreeReport tree_of(const Profile& profile, bool is_by_callee = false, size_t sessions = 1,
                       bool folds_recursion = false) {
    ReportOptions all;
    all.folds_recursion = folds_recursion;
    ReportHead head;
    head.is_shown = false;
    head.columns = profile.columns;
    head.sessions = sessions;
    return report_call_tree(profile, head, all, is_by_callee);
}

std::string text_of(const CallTreeReport& report) {
    return find_writer("text")->write(report, {});
}

/// Two profiles: f got less, g stayed, h is new.
struct TwoProfiles {
    TwoProfiles() {
        before.add(0, {"main", "f"}, 600);
        before.add(0, {"main", "g"}, 400);
        after.add(0, {"main", "g"}, 800);
        after.add(0, {"main", "h"}, 600);
        after.add(0, {"main", "f"}, 600);
        before.finish();
        after.finish();
    }

    std::string compared(bool is_by_callee, const ReportOptions& options = {}) {
        return text_of(report_tree_difference(tree_of(before.profile, is_by_callee),
                                              tree_of(after.profile, is_by_callee), options));
    }

    test::FakeStacks before, after;
};

}  // namespace

TEST(TreeDifference, has_both_shares_of_each_row_significant_changes_first) {
    EXPECT_EQ(TwoProfiles().compared(false),
              "1000     100.000  2000     100.000        0   app\n"
              "1000     100.000  2000     100.000        0     main\n"
              "600      60.0000  600      30.0000  -50.0000*   - f\n"
              "0              0  600      30.0000  +++*        - h\n"
              "400      40.0000  800      40.0000        0     - g\n"
              "All stacks are complete.\n");
}

TEST(TreeDifference, goes_from_the_sampled_functions_up_too) {
    EXPECT_EQ(TwoProfiles().compared(true),
              "600      60.0000  600      30.0000  -50.0000* f\n"
              "600      60.0000  600      30.0000  -50.0000*   main\n"
              "600      60.0000  600      30.0000  -50.0000*   app\n"
              "0              0  600      30.0000  +++*      h\n"
              "0              0  600      30.0000  +++*        main\n"
              "0              0  600      30.0000  +++*        app\n"
              "400      40.0000  800      40.0000        0   g\n"
              "400      40.0000  800      40.0000        0     main\n"
              "400      40.0000  800      40.0000        0     app\n"
              "All stacks are complete.\n");
}

TEST(TreeDifference, leaves_out_what_is_light_on_both_sides_or_no_change) {
    ReportOptions options;
    options.threshold = 50;
    EXPECT_EQ(TwoProfiles().compared(false, options),
              "1000     100.000  2000     100.000        0   app\n"
              "1000     100.000  2000     100.000        0     main\n"
              "600      60.0000  600      30.0000  -50.0000*   f\n"
              "Rows with less than 50.0 % are left out: --threshold=0 shows all.\n"
              "All stacks are complete.\n");
    options.threshold = 0;
    options.significant = true;
    EXPECT_EQ(TwoProfiles().compared(false, options),
              "1000     100.000  2000     100.000        0   app\n"
              "1000     100.000  2000     100.000        0     main\n"
              "600      60.0000  600      30.0000  -50.0000*   - f\n"
              "0              0  600      30.0000  +++*        - h\n"
              "All stacks are complete.\n");
}

TEST(TreeDifference, keeps_functions_of_one_name_in_two_images_apart_and_ends_of_stacks) {
    test::FakeStacks before, after;
    before.add(0, {"main", "f"}, 3);
    before.add(0, {"main", "libc:f"}, 1);
    after.add(0, {"main", "f"}, 3);
    after.add(0, {"f"}, 1, dump_short);
    EXPECT_EQ(text_of(report_tree_difference(tree_of(before.finish()), tree_of(after.finish()), {})),
              "4        100.000  4        100.000        0   app\n"
              "4        100.000  3        75.0000  -25.0000  - main\n"
              "3        75.0000  3        75.0000        0     - f\n"
              "1        25.0000  0              0  ---         - f [libc.so]\n"
              "0              0  1        25.0000  +++       - [truncated: dump_short]\n"
              "0              0  1        25.0000  +++         f\n"
              "First profile: All stacks are complete.\n"
              "Second profile: 75.0 % of the stacks are complete; 25.0 % are incomplete because their "
              "stacks, or the frame of one function, are larger than what was copied of them, 65528 bytes at "
              "most; if the program keeps frame pointers, operf --unwind=frame-pointers finds their callers. "
              "Most of these lead no further than f [app].\n");
}

TEST(TreeDifference, folds_recursion_to_the_deeper_of_both) {
    test::FakeStacks before, after;
    before.add(0, {"main", "f", "f@10", "g"}, 4);
    after.add(0, {"main", "f", "f@10", "f@20", "g"}, 4);
    EXPECT_EQ(text_of(report_tree_difference(tree_of(before.finish(), false, 1, true),
                                             tree_of(after.finish(), false, 1, true), {})),
              "4        100.000  4        100.000        0   app\n"
              "4        100.000  4        100.000        0     main\n"
              "4        100.000  4        100.000        0     f (recursion, up to 3 deep)\n"
              "4        100.000  4        100.000        0     g\n"
              "All stacks are complete.\n");
}

TEST(TreeDifference, of_a_profile_without_samples_has_all_of_the_other) {
    test::FakeStacks before, after;
    after.add(0, {"main", "f"}, 3);
    EXPECT_EQ(text_of(report_tree_difference(tree_of(before.profile), tree_of(after.finish()), {})),
              "0              0  3        100.000  +++       app\n"
              "0              0  3        100.000  +++         main\n"
              "0              0  3        100.000  +++         f\n"
              "Second profile: All stacks are complete.\n");
}

TEST(TreeDifference, tests_the_shares_of_sessions_by_their_paths) {
    const auto session = [](uint64_t f, uint64_t g, uint64_t h) {
        auto made = std::make_unique<test::FakeStacks>();
        if (h > 0) made->add(0, {"main", "g", "h"}, h);  // not in the same order everywhere
        made->add(0, {"main", "f"}, f);
        made->add(0, {"main", "g"}, g);
        made->finish();
        return made;
    };
    std::vector<std::unique_ptr<test::FakeStacks>> profiles;
    SessionReports<CallTreeReport> sessions;
    for (const auto& [f, g, h] : {std::tuple{600, 400, 0}, {630, 370, 0}, {570, 430, 0}}) {
        profiles.push_back(session(f, g, h));
        sessions.before.push_back(tree_of(profiles.back()->profile));
    }
    for (const auto& [f, g, h] : {std::tuple{300, 400, 300}, {330, 370, 300}, {270, 430, 300}}) {
        profiles.push_back(session(f, g, h));
        sessions.after.push_back(tree_of(profiles.back()->profile));
    }
    const auto all = [&](uint64_t f, uint64_t g, uint64_t h) {
        profiles.push_back(session(f, g, h));
        return tree_of(profiles.back()->profile, false, 3);
    };
    const CallTreeReport before = all(1800, 1200, 0), after = all(900, 1200, 900);
    const CallTreeReport report = report_tree_difference(before, after, {}, sessions);
    EXPECT_EQ(report.power.test, ComparisonTest::means);
    for (size_t i = 0; i < report.rows.size(); ++i)
        if (report.rows[i].name == "h") {
            // No session differs from those of its side, but samples do: t = 32.54, 4 degrees of freedom.
            EXPECT_NEAR(*report.differences[i].probability, 5.31832133e-6, 1e-12);
        } else if (report.rows[i].name == "f") {
            // Shares of 0.60, 0.63, 0.57 and 0.30 less: t = 12.247, 4 degrees of freedom.
            EXPECT_NEAR(*report.differences[i].probability, 0.000255216, 1e-7);
            EXPECT_TRUE(report.differences[i].is_significant);
        } else if (report.rows[i].name == "main") {
            EXPECT_EQ(report.differences[i].probability, 1);
        }
}

TEST(TreeDifference, of_other_events_is_refused) {
    TwoProfiles made;
    CallTreeReport other = tree_of(made.after.profile);
    other.head.columns[0].count = 7;
    EXPECT_THROW(report_tree_difference(tree_of(made.before.profile), other, {}), Error);
}

}  // namespace op::pp
