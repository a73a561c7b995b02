// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <map>

#include "libop/base/error.h"
#include "libpp/report/report.h"
#include "libpp/report/stack_shares.h"
#include "libpp/report/writer.h"
#include "tests/unit/fake_stacks.h"

namespace op::pp {

namespace {

constexpr auto dump_short = static_cast<uint32_t>(StackEnd::dump_short);

std::string text_of(Profile& profile, bool is_by_callee = false, ReportOptions options = {}) {
    options.heads = false;
    ReportHead head;
    head.is_shown = false;
    head.columns = profile.columns;
    return find_writer("text")->write(report_call_tree(profile, head, options, is_by_callee), {});
}

}  // namespace

TEST(CallTree, goes_from_the_application_down_the_heaviest_first) {
    test::FakeStacks made;
    made.add(0, {"main", "g"}, 10);
    made.add(0, {"main", "f", "libc:malloc"}, 60);
    made.add(0, {"main", "f"}, 30);
    EXPECT_EQ(text_of(made.finish()),
              "100      100.000  0        app\n"
              "100      100.000  0          main\n"
              "90       90.0000  30         - f\n"
              "60       60.0000  60           malloc [libc.so]\n"
              "10       10.0000  10         - g\n"
              "All stacks are complete.\n");
}

TEST(CallTree, has_one_row_for_a_function_that_is_called_from_several_places) {
    test::FakeStacks made;
    made.add(0, {"main@10", "f@10"}, 1);
    made.add(0, {"main@20", "f@20"}, 2);
    made.add(0, {"main@20", "f@30", "g"}, 4);
    EXPECT_EQ(text_of(made.finish()),
              "7        100.000  0        app\n"
              "7        100.000  0          main\n"
              "7        100.000  3          f\n"
              "4        57.1429  4          g\n"
              "All stacks are complete.\n");
}

TEST(CallTree, keeps_functions_of_one_name_in_two_images_apart) {
    test::FakeStacks made;
    made.add(0, {"main", "f"}, 2);
    made.add(0, {"main", "libc:f"}, 1);
    EXPECT_EQ(text_of(made.finish()),
              "3        100.000  0        app\n"
              "3        100.000  0          main\n"
              "2        66.6667  2          - f\n"
              "1        33.3333  1          - f [libc.so]\n"
              "All stacks are complete.\n");
}

TEST(CallTree, marks_where_stacks_are_cut_and_ends_with_the_remedy) {
    test::FakeStacks made;
    made.add(0, {"main", "f"}, 97);
    made.add(0, {"g"}, 2, dump_short);
    made.add(0, {"libc:"}, 1, static_cast<uint32_t>(StackEnd::no_info));
    EXPECT_EQ(text_of(made.finish()),
              "100      100.000  0        app\n"
              "97       97.0000  0        - main\n"
              "97       97.0000  97         f\n"
              "2         2.0000  0        - [truncated: dump_short]\n"
              "2         2.0000  2          g\n"
              "1         1.0000  0        - [truncated: no_info]\n"
              "1         1.0000  1          [libc.so]\n"
              "97.0 % of the stacks are complete; 2.0 % are incomplete because their stacks, or the frame of "
              "one function, are larger than what was copied of them, 65528 bytes at most; if the program "
              "keeps frame pointers, operf --unwind=frame-pointers finds their callers. Most of these lead "
              "no further than g [app].\n");
}

TEST(CallTree, counts_a_sample_once_in_a_row_however_often_its_stack_recurs) {
    test::FakeStacks made;
    made.add(0, {"main", "f", "f", "f"}, 3);
    made.add(0, {"main", "f"}, 1);
    EXPECT_EQ(text_of(made.finish()),
              "4        100.000  0        app\n"
              "4        100.000  0          main\n"
              "4        100.000  1          f\n"
              "3        75.0000  0          f\n"
              "3        75.0000  3          f\n"
              "All stacks are complete.\n");
}

TEST(CallTree, folds_the_levels_of_recursion_with_all_samples_below_them) {
    test::FakeStacks made;
    made.add(0, {"main", "f", "f@10", "f@20", "g"}, 3);
    made.add(0, {"main", "f", "f@10", "f@20"}, 5);
    made.add(0, {"main", "f", "g"}, 2);
    made.add(0, {"main", "f"}, 1);
    made.add(0, {"main", "f", "libc:f", "f", "f"}, 4);
    made.add(0, {"libc:", "libc:@8", "main"}, 1);
    ReportOptions options;
    options.folds_recursion = true;
    EXPECT_EQ(text_of(made.finish(), false, options),
              "16       100.000  0        app\n"
              "15       93.7500  0        - main\n"
              "15       93.7500  6          f (recursion, up to 3 deep)\n"
              "5        31.2500  5          - g\n"
              "4        25.0000  0          - f [libc.so]\n"
              "4        25.0000  4            f (recursion, up to 2 deep)\n"
              "1         6.2500  0        - [libc.so]\n"
              "1         6.2500  0          [libc.so]\n"
              "1         6.2500  1          main\n"
              "All stacks are complete.\n");
    EXPECT_EQ(text_of(made.profile, true, options),
              "10       62.5000  f (recursion, up to 3 deep)\n"
              "6        37.5000  - main\n"
              "6        37.5000    app\n"
              "4        25.0000  - f [libc.so]\n"
              "4        25.0000    f\n"
              "4        25.0000    main\n"
              "4        25.0000    app\n"
              "5        31.2500  g\n"
              "5        31.2500    f (recursion, up to 3 deep)\n"
              "5        31.2500    main\n"
              "5        31.2500    app\n"
              "1         6.2500  main\n"
              "1         6.2500    [libc.so]\n"
              "1         6.2500    [libc.so]\n"
              "1         6.2500    app\n"
              "All stacks are complete.\n");
}

TEST(CallTree, of_recursion_without_end_has_one_row) {
    test::FakeStacks made;
    test::FakeStacks::Frames frames{"main"};
    for (int depth = 0; depth < 1000; ++depth) {
        frames.push_back("f");
        made.add(0, frames, 1);
    }
    ReportOptions options;
    options.folds_recursion = true;
    EXPECT_EQ(text_of(made.finish(), false, options),
              "1000     100.000  0        app\n"
              "1000     100.000  0          main\n"
              "1000     100.000  1000       f (recursion, up to 1000 deep)\n"
              "All stacks are complete.\n");
}

TEST(CallTree, goes_from_sampled_functions_up_to_their_callers) {
    test::FakeStacks made;
    made.add(0, {"main", "f", "libc:malloc@10"}, 6);
    made.add(0, {"main", "g", "libc:malloc@20"}, 3);
    made.add(2, {"main", "libc:malloc"}, 1);
    made.add(0, {"main", "f"}, 2);
    EXPECT_EQ(text_of(made.finish(), true),
              "10       83.3333  malloc [libc.so]\n"
              "6        50.0000  - f [app]\n"
              "6        50.0000    main [app]\n"
              "6        50.0000    app\n"
              "3        25.0000  - g [app]\n"
              "3        25.0000    main [app]\n"
              "3        25.0000    app\n"
              "1         8.3333  - main [other]\n"
              "1         8.3333    other\n"
              "2        16.6667  f [app]\n"
              "2        16.6667    main [app]\n"
              "2        16.6667    app\n"
              "All stacks are complete.\n");
}

TEST(CallTree, leaves_out_rows_below_the_threshold_and_beyond_the_depth) {
    test::FakeStacks made;
    made.add(0, {"main", "f", "g"}, 90);
    made.add(0, {"main", "h"}, 10);
    ReportOptions options;
    options.threshold = 50;
    options.depth = 2;
    EXPECT_EQ(text_of(made.finish(), false, options),
              "100      100.000  0        app\n"
              "100      100.000  0          main\n"
              "90       90.0000  0          f\n"
              "Rows with less than 50.0 % are left out: --threshold=0 shows all.\n"
              "All stacks are complete.\n");
}

TEST(CallTree, notes_whether_a_threshold_left_out_rows) {
    test::FakeStacks made;
    made.add(0, {"main", "f"}, 90);
    made.add(0, {"main", "h"}, 10);
    ReportOptions options;
    for (const double threshold : {5, 20}) {
        options.threshold = threshold;
        EXPECT_EQ(report_call_tree(made.finish(), {}, options, false).left_out,
                  threshold > 10 ? threshold : 0);
        made.profile.samples.clear();
        made.profile.frames.clear();
        made.profile.counts.clear();
    }
}

TEST(CallTree, has_counts_of_each_column) {
    test::FakeStacks made(2);
    made.add(0, {"main", "f"}, 3, 0, 0);
    made.add(0, {"main", "f"}, 1, 0, 1);
    made.add(0, {"main"}, 1, 0, 1);
    EXPECT_EQ(text_of(made.finish()),
              "3        100.000  0        2        100.000  0        app\n"
              "3        100.000  0        2        100.000  1          main\n"
              "3        100.000  3        1        50.0000  1          f\n"
              "All stacks are complete.\n");
}

TEST(CallTree, is_a_list_of_rows_with_depths_in_json) {
    test::FakeStacks made;
    made.add(0, {"main", "libc:malloc"}, 3);
    made.add(0, {"g"}, 1, dump_short);
    ReportHead head;
    head.columns = made.finish().columns;
    const std::string text = find_writer("json")->write(report_call_tree(made.profile, head, {}, false), {});
    EXPECT_NE(text.find("\"kind\": \"call tree\""), text.npos);
    EXPECT_NE(text.find("\"complete\": 3"), text.npos);
    EXPECT_NE(text.find("\"dump_short\": 1"), text.npos);
    EXPECT_NE(text.find("\"depth\": 2,\n\t\t\t\"symbol\": \"malloc\",\n\t\t\t\"image\": \"libc.so\""),
              text.npos)
        << text;
}

TEST(CallTree, of_a_profile_without_stacks_is_empty) {
    Profile profile;
    profile.columns.resize(1);
    EXPECT_EQ(text_of(profile), "");
}

TEST(CallgraphReport, of_stacks_counts_a_sample_once_for_each_function_and_call) {
    test::FakeStacks made;
    made.add(0, {"main", "f", "g", "f", "g"}, 3);
    made.add(0, {"main", "f"}, 1);
    ReportHead head;
    head.is_shown = false;
    head.columns = made.finish().columns;
    const auto report = report_callgraph(made.profile, head, {});
    std::map<std::string_view, uint64_t> inclusive;
    std::map<std::pair<std::string_view, std::string_view>, uint64_t> calls;
    for (size_t i = 0; i < report.blocks.size(); ++i) {
        const CallgraphBlock& block = report.blocks[i];
        const std::string_view function = report.lines[block.middle].symbol.name;
        inclusive[function] = report.inclusive[i];
        for (size_t line = block.middle + 1; line < block.end; ++line)
            if (!report.lines[line].is_self)
                calls[{function, report.lines[line].symbol.name}] = report.counts[line];
    }
    EXPECT_EQ(inclusive, (std::map<std::string_view, uint64_t>{{"main", 4}, {"f", 4}, {"g", 3}}));
    EXPECT_EQ(calls, (std::map<std::pair<std::string_view, std::string_view>, uint64_t>{
                         {{"main", "f"}, 4}, {{"f", "g"}, 3}, {{"g", "f"}, 3}}));
    EXPECT_NE(find_writer("markdown")->write(report, {}).find("**`f`** [inclusive: 4]"), std::string::npos);
}

TEST(CallgraphReport, of_stacks_has_a_threshold_for_what_a_function_calls_too) {
    test::FakeStacks made;
    made.add(0, {"main", "f"}, 90);
    made.add(0, {"main", "g"}, 10);
    ReportHead head;
    head.columns = made.finish().columns;
    ReportOptions options;
    options.threshold = 50;
    const auto report = report_callgraph(made.profile, head, options);
    ASSERT_EQ(report.blocks.size(), 2U);
    EXPECT_EQ(report.lines[report.blocks[0].middle].symbol.name, "f");
    EXPECT_EQ(report.lines[report.blocks[1].middle].symbol.name, "main");
}

TEST(StackShares, name_a_remedy_for_each_reason) {
    for (uint32_t end = 1; end < StackTree::no_stack; ++end) {
        StackShares shares{std::vector<uint64_t>(StackTree::no_stack + 1)};
        shares.by_end[0] = shares.by_end[end] = 1;
        EXPECT_EQ(shares.heaviest_cut(), end);
        EXPECT_NE(stack_shares_text(shares).find("50.0 % are incomplete because "), std::string::npos);
        EXPECT_FALSE(cut_name(end).empty());
    }
}

TEST(StackShares, are_of_the_samples_that_have_a_stack) {
    StackShares shares{std::vector<uint64_t>(StackTree::no_stack + 1)};
    shares.by_end[StackTree::no_stack] = 20;
    EXPECT_TRUE(stack_shares_text(shares).starts_with("No sample has a call stack: "));
    shares.by_end[0] = 40;
    EXPECT_EQ(shares.heaviest_cut(), 0U);
    EXPECT_TRUE(stack_shares_text(shares).starts_with(
        "All stacks are complete. 33.3 % of the samples have no call stack: "));
    shares.by_end[dump_short] = 40;
    EXPECT_TRUE(stack_shares_text(shares).starts_with("50.0 % of the stacks are complete; 50.0 % are "));
}

TEST(StackShares, advise_by_the_runtime) {
    StackShares shares{std::vector<uint64_t>(StackTree::no_stack + 1),
                       std::vector<uint64_t>(StackTree::no_stack + 1)};
    const auto no_info = static_cast<size_t>(StackEnd::no_info);
    shares.by_end[no_info] = shares.in_run_time_code[no_info] = 1;
    EXPECT_NE(stack_shares_text(shares).find("see INCOMPLETE STACKS"), std::string::npos);
    shares.run_time_program = "ruby3.1";
    EXPECT_NE(stack_shares_text(shares).find("--yjit-perf"), std::string::npos);
    shares.run_time_program = "java";
    EXPECT_NE(stack_shares_text(shares).find("names do not need it"), std::string::npos);
}

TEST(StackShares, name_the_function_beyond_which_more_than_half_of_the_heaviest_end_do_not_lead) {
    const auto text = [](uint64_t in_f, uint64_t in_g, uint64_t in_library) {
        test::FakeStacks made;
        constexpr auto end = static_cast<uint32_t>(StackEnd::unsupported);
        made.add(0, {"main"}, 100);
        made.add(0, {"f", "g"}, in_f, end);
        made.add(0, {"g", "f"}, in_g, end);
        if (in_library > 0) made.add(0, {"libc:", "f"}, in_library, end);
        return stack_shares_text(stack_shares(made.finish(), made.profile.stacks, Demangle::normal));
    };
    EXPECT_NE(text(5, 4, 0).find("Most of these lead no further than f [app]."), std::string::npos);
    EXPECT_NE(text(1, 1, 3).find("Most of these lead no further than [libc.so]."), std::string::npos);
    EXPECT_EQ(text(5, 5, 0).find("no further"), std::string::npos);
    test::FakeStacks run_time;
    run_time.profile.images[1].name = {ImageName::Kind::anon, "[jit] 7"};
    run_time.add(0, {"libc:", "f"}, 1, static_cast<uint32_t>(StackEnd::unsupported));
    EXPECT_EQ(stack_shares(run_time.finish(), run_time.profile.stacks, Demangle::normal).outermost,
              "[jit] 7");
}

TEST(StackShares, have_a_remedy_of_their_own_for_code_made_at_run_time) {
    const auto shares_of = [](const char* label, StackEnd end, uint64_t run_time, uint64_t compiled) {
        test::FakeStacks made;
        made.profile.images[1].name = {ImageName::Kind::anon, label};
        made.add(0, {"main"}, 100);
        made.add(0, {"libc:", "f"}, run_time, static_cast<uint32_t>(end));
        made.add(0, {"f", "libc:"}, compiled, static_cast<uint32_t>(end));
        return stack_shares_text(stack_shares(made.finish(), made.profile.stacks, Demangle::normal));
    };
    const auto is_run_time = [](const std::string& text) {
        EXPECT_NE(text.find("because "), text.npos);
        return text.find("made at run time has no frame pointers") != text.npos;
    };
    for (const StackEnd end : {StackEnd::no_info, StackEnd::no_mapping}) {
        EXPECT_TRUE(is_run_time(shares_of("anon", end, 2, 1)));
        EXPECT_TRUE(is_run_time(shares_of("[jit] 7", end, 2, 1)));
        EXPECT_FALSE(is_run_time(shares_of("anon", end, 1, 2)));
        EXPECT_FALSE(is_run_time(shares_of("[vdso]", end, 2, 1)));
    }
    EXPECT_FALSE(is_run_time(shares_of("anon", StackEnd::dump_short, 2, 1)));
}

TEST(StackShares, are_not_rounded_to_nothing_or_all) {
    StackShares shares{std::vector<uint64_t>(StackTree::no_stack + 1)};
    shares.by_end[0] = 99999;
    shares.by_end[dump_short] = 1;
    EXPECT_TRUE(stack_shares_text(shares).starts_with(
        "99.9 % of the stacks are complete; less than 0.1 % are incomplete"));
}

TEST(StackTree, check_finds_what_is_no_tree) {
    const auto fails = [](auto damage) {
        test::FakeStacks made;
        made.add(0, {"main", "f"}, 3);
        made.add(0, {"g"}, 1, dump_short);
        damage(made.finish().stacks);
        EXPECT_THROW(made.profile.check(), Error);
    };
    fails([](StackTree& tree) { tree.nodes[2].parent = 2; });
    fails([](StackTree& tree) { tree.nodes[2].location = 99; });
    fails([](StackTree& tree) { tree.nodes[1].location = 99; });
    fails([](StackTree& tree) { tree.nodes[0].kind = StackNodeKind::code; });
    fails([](StackTree& tree) { tree.nodes[3].kind = StackNodeKind::root; });
    fails([](StackTree& tree) { tree.nodes[3].kind = StackNodeKind::application; });
    fails([](StackTree& tree) { tree.nodes[3].kind = StackNodeKind::cut; });
    fails([](StackTree& tree) { tree.nodes[4].location = 99; });
    fails([](StackTree& tree) { tree.counts[0].count = 0; });
    fails([](StackTree& tree) { tree.counts[0].node = 99; });
    fails([](StackTree& tree) { tree.counts[0].column = 1; });
    fails([](StackTree& tree) { std::swap(tree.counts[0], tree.counts[1]); });
    fails([](StackTree& tree) { tree.nodes.clear(); });
}

TEST(StackTree, knows_the_children_of_each_node) {
    test::FakeStacks made;
    made.add(0, {"main", "f"}, 3);
    made.add(0, {"main", "g"}, 1);
    const StackChildren children(made.profile.stacks);
    const auto of = [&](uint32_t node) {
        return std::vector<uint32_t>(children.of(node).begin(), children.of(node).end());
    };
    EXPECT_EQ(of(0), (std::vector<uint32_t>{1}));
    EXPECT_EQ(of(2), (std::vector<uint32_t>{3, 4}));
    EXPECT_EQ(of(4), (std::vector<uint32_t>{}));
}

}  // namespace op::pp
