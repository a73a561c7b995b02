// SPDX-License-Identifier: GPL-2.0-or-later
#include "libpp/report/report.h"

#include <gtest/gtest.h>

#include "libop/events/cpu_model.h"
#include "libop/base/error.h"
#include "tests/unit/fake_symbols.h"

namespace op::pp {

namespace {

using Words = std::vector<std::string>;

ImageName image(const std::string& path) {
    return {ImageName::Kind::file, path};
}

ReportHead head(size_t columns) {
    ReportHead result;
    for (size_t i = 0; i < columns; ++i)
        result.columns.push_back({"E", 100 + i, 0, {}, {}, {}});
    return result;
}

std::vector<ImageTotal> totals() {
    return {{image("/bin/a"), image("/bin/a"), {60, 0}},
            {image("/bin/b"), image("/bin/b"), {100, 1}},
            {image("/bin/a"), image("/lib/l"), {70, 2}},
            {image("/bin/a"), image("/lib/nothing"), {0, 0}},
            {image("/bin/none"), image("/bin/none"), {0, 0}}};
}

Words names(const std::vector<ImageRow>& rows) {
    Words result;
    for (const auto& row : rows)
        result.push_back(row.name);
    return result;
}

/// Two applications with samples in one library; counts: alpha 5+1, beta 7, gamma 5.
struct Shared {
    test::FakeSymbols symbols{{"gamma", 0x100, 0x10}, {"alpha", 0x110, 0x10}, {"beta", 0x120, 0x10}};
    Profile profile;

    Shared() {
        profile.columns = head(1).columns;
        profile.images = {
            {image("/bin/a"), nullptr}, {image("/bin/b"), nullptr}, {image("/lib/l"), &symbols}};
        for (uint32_t i = 0; i < 3; ++i) {
            profile.symbols.push_back({2, &symbols.symbols()[i]});
            profile.locations.push_back({2, i, symbols.symbols()[i].start + 4});
            profile.frames.push_back(i);
        }
        profile.locations.push_back({2, Location::no_symbol, ImageOffset{0}});
        profile.frames.push_back(3);
        profile.samples = {{0, 0, 1}, {0, 1, 1}, {1, 1, 1}, {1, 2, 1}, {1, 3, 1}};
        profile.counts = {5, 5, 1, 7, 1000};
        profile.check();
    }
};

Words shown(const SymbolReport& report) {
    Words result;
    for (size_t i = 0; i < report.rows.size(); ++i)
        result.push_back(report.columns.images[report.rows[i].app] + ":" + std::string(report.rows[i].name) +
                         ":" + std::to_string(report.counts[i]));
    return result;
}

Words shown(const ReportOptions& options) {
    Shared shared;
    return shown(report_symbols(shared.profile, head(1), options));
}

}  // namespace

TEST(ImageReport, puts_applications_and_their_images_in_order_and_drops_empty_ones) {
    const auto report = report_images(totals(), head(2), {});
    EXPECT_EQ(names(report.rows), (Words{"a", "b"}));
    EXPECT_EQ(report.rows[0].counts, (std::vector<uint64_t>{130, 2}));
    EXPECT_EQ(report.rows[0].bases, (std::vector<uint64_t>{230, 3}));
    EXPECT_EQ(names(report.rows[0].parts), (Words{"l", "a"}));
    EXPECT_EQ(report.rows[0].parts[0].bases, (std::vector<uint64_t>{130, 2}));
    EXPECT_TRUE(report.rows[1].parts.empty());
}

TEST(ImageReport, reverse_turns_both_orders_round) {
    ReportOptions options;
    options.reverse = true;
    const auto report = report_images(totals(), head(2), options);
    EXPECT_EQ(names(report.rows), (Words{"b", "a"}));
    EXPECT_EQ(names(report.rows[1].parts), (Words{"a", "l"}));
}

TEST(ImageReport, threshold_hides_applications_but_not_their_images) {
    ReportOptions options;
    options.threshold = 50;
    const auto report = report_images(totals(), head(2), options);
    EXPECT_EQ(names(report.rows), Words{"a"});
    EXPECT_EQ(report.rows[0].parts.size(), 2u);
}

TEST(ImageReport, global_percent_makes_parts_shares_of_everything) {
    ReportOptions options;
    options.global_percent = true;
    EXPECT_EQ(report_images(totals(), head(2), options).rows[0].parts[0].bases,
              (std::vector<uint64_t>{230, 3}));
}

TEST(SymbolReport, sums_by_symbol_and_application_and_leaves_the_nameless_out) {
    Shared shared;
    const auto report = report_symbols(shared.profile, head(1), {});
    EXPECT_EQ(shown(report), (Words{"b:beta:7", "a:alpha:5", "a:gamma:5", "b:alpha:1"}));
    EXPECT_EQ(report.totals, std::vector<uint64_t>{18});
    EXPECT_TRUE(report.columns.has_images && report.columns.has_apps);
    EXPECT_FALSE(report.columns.has_wide_addresses);
}

TEST(SymbolReport, sorts_by_the_keys_asked_then_by_the_others) {
    ReportOptions options;
    options.sort = parse_sort_keys(Words{"symbol"});
    EXPECT_EQ(shown(options), (Words{"a:alpha:5", "b:alpha:1", "b:beta:7", "a:gamma:5"}));
    options.sort = parse_sort_keys(Words{"app-name", "vma"});
    EXPECT_EQ(shown(options), (Words{"a:gamma:5", "a:alpha:5", "b:alpha:1", "b:beta:7"}));
    options.reverse = true;
    EXPECT_EQ(shown(options), (Words{"b:beta:7", "b:alpha:1", "a:alpha:5", "a:gamma:5"}));
}

TEST(SymbolReport, unknown_sort_key_is_an_error) {
    EXPECT_THROW(parse_sort_keys(Words{"best"}), Error);
}

TEST(SymbolReport, totals_are_of_what_the_filter_lets_through) {
    ReportOptions options;
    options.include_symbols = {"alpha", "beta"};
    options.exclude_symbols = {"beta"};
    Shared shared;
    const auto report = report_symbols(shared.profile, head(1), options);
    EXPECT_EQ(shown(report), (Words{"a:alpha:5", "b:alpha:1"}));
    EXPECT_EQ(report.totals, std::vector<uint64_t>{6});
}

TEST(SymbolReport, threshold_hides_rows_and_their_names_are_never_asked_for) {
    ReportOptions options;
    options.threshold = 30;
    Shared shared;
    const auto report = report_symbols(shared.profile, head(1), options);
    EXPECT_EQ(shown(report), Words{"b:beta:7"});
    EXPECT_EQ(report.totals, std::vector<uint64_t>{18});
    EXPECT_EQ(shared.symbols.names_asked, 1);
}

TEST(SymbolReport, lines_are_those_where_the_symbol_starts) {
    ReportOptions options;
    options.debug_info = true;
    Shared shared;
    const auto report = report_symbols(shared.profile, head(1), options);
    ASSERT_TRUE(report.rows[0].line);
    EXPECT_EQ(report.rows[0].line->file, "/src/beta.c");
    EXPECT_EQ(report.rows[0].line->line, 0x120u);
}

TEST(ReportHead, an_event_without_description_is_a_note) {
    Diagnostics notes;
    const SampleHeader header{.cpu_type = 32};
    const auto made = make_head({}, Axis::event, head(1).columns, header, nullptr, notes);
    EXPECT_FALSE(made.events.at(0).is_known);
    EXPECT_EQ(notes.warnings().size(), 1u);
    EXPECT_EQ(made.cpu_name, "Core 2");
}

TEST(ReportHead, says_in_which_modes_an_event_was_counted) {
    const auto remarks = [](std::vector<RecordedEvent> events) {
        SessionInfo info;
        info.events = std::move(events);
        Diagnostics notes;
        return make_head({}, Axis::event, head(1).columns, {}, &info, notes).remarks;
    };
    EXPECT_EQ(remarks({{"E", 0, 100}, {"OTHER", 0, 100, 0, true, false}}), Words{});
    EXPECT_EQ(remarks({{"E", 0, 100, 0, true, false}}), Words{"E:100 was counted in kernel mode only"});
    EXPECT_EQ(remarks({{"E", 0, 100, 0, false, true}}), Words{"E:100 was counted in user mode only"});
    EXPECT_EQ(remarks({{"E", 0, 100, 0, false, true}, {"E", 0, 100, 0, true, false}}),
              Words{"E:100 stands for 2 events that differ in their modes only, added up"});
}

TEST(ReportHead, has_one_event_unless_events_are_the_axis) {
    Diagnostics notes;
    EXPECT_EQ(make_head({}, Axis::cpu, head(3).columns, {}, nullptr, notes).events.size(), 1u);
    EXPECT_EQ(make_head({}, Axis::event, head(3).columns, {}, nullptr, notes).events.size(), 3u);
}

TEST(ShownName, is_the_base_name_except_for_memory_without_a_file) {
    EXPECT_EQ(shown_name(image("/bin/a"), false), "a");
    EXPECT_EQ(shown_name(image("/bin/a"), true), "/bin/a");
    const ImageName memory{ImageName::Kind::anon, "anon", 1, 0x10, 0x1f};
    EXPECT_EQ(shown_name(memory, false), memory.display());
}

}  // namespace op::pp
