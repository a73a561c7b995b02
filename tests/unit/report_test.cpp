// SPDX-License-Identifier: GPL-2.0-or-later
#include "libpp/report/report.h"
#include "libpp/report/symbol_rows.h"

#include <gtest/gtest.h>

#include "libop/base/error.h"
#include "libop/events/cpu_model.h"
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

/// Two applications with samples in one library; counts: alpha 5+1, beta 7, gamma 5, in no symbol 2.
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
        profile.counts = {5, 5, 1, 7, 2};
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

/// A profile with a sample in each symbol of one image.
Profile profile_of(test::FakeSymbols& symbols) {
    Profile profile;
    profile.columns = head(1).columns;
    profile.images = {{image("/bin/a"), &symbols}};
    for (uint32_t i = 0; i < symbols.symbols().size(); ++i) {
        profile.symbols.push_back({0, &symbols.symbols()[i]});
        profile.locations.push_back({0, i, symbols.symbols()[i].start});
        profile.frames.push_back(i);
        profile.samples.push_back({0, i, 1});
        profile.counts.push_back(1);
    }
    return profile;
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

TEST(ImageReport, equal_counts_are_in_the_order_of_the_names_shown) {
    const std::vector<ImageTotal> equal{{image("/a/z"), image("/a/z"), {5}},
                                        {image("/a/z"), image("/lib/b"), {5}},
                                        {image("/z/a"), image("/z/a"), {10}},
                                        {image("/y/a"), image("/y/a"), {1}},
                                        {image("/x/b"), image("/x/b"), {1}}};
    ReportOptions options;
    const auto report = report_images(equal, head(1), options);
    EXPECT_EQ(names(report.rows), (Words{"a", "z", "a", "b"}));
    EXPECT_EQ(names(report.rows[1].parts), (Words{"b", "z"}));
    options.reverse = true;
    EXPECT_EQ(names(report_images(equal, head(1), options).rows), (Words{"a", "b", "a", "z"}));
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

TEST(SymbolReport, sums_by_symbol_and_application_and_has_a_row_of_what_is_in_no_symbol) {
    Shared shared;
    const auto report = report_symbols(shared.profile, head(1), {});
    EXPECT_EQ(shown(report), (Words{"b:beta:7", "a:alpha:5", "a:gamma:5", "b:[no symbol]:2", "b:alpha:1"}));
    EXPECT_EQ(report.totals, std::vector<uint64_t>{20});
    EXPECT_EQ(report.columns.images[report.rows[3].image], "l");
    EXPECT_TRUE(report.columns.has_images && report.columns.has_apps);
    EXPECT_FALSE(report.columns.has_wide_addresses);
}

TEST(SymbolReport, sorts_by_the_keys_asked_then_by_the_others) {
    ReportOptions options;
    options.sort = parse_sort_keys(Words{"symbol"});
    EXPECT_EQ(shown(options), (Words{"b:[no symbol]:2", "a:alpha:5", "b:alpha:1", "b:beta:7", "a:gamma:5"}));
    options.sort = parse_sort_keys(Words{"app-name", "vma"});
    EXPECT_EQ(shown(options), (Words{"a:gamma:5", "a:alpha:5", "b:[no symbol]:2", "b:alpha:1", "b:beta:7"}));
    options.reverse = true;
    EXPECT_EQ(shown(options), (Words{"b:beta:7", "b:alpha:1", "b:[no symbol]:2", "a:alpha:5", "a:gamma:5"}));
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

TEST(SymbolReport, samples_in_no_symbol_can_be_filtered_by_name) {
    ReportOptions options;
    options.include_symbols = {"[no symbol]"};
    EXPECT_EQ(shown(options), Words{"b:[no symbol]:2"});
    options.include_symbols = {};
    options.exclude_symbols = {"[no symbol]", "beta", "gamma"};
    EXPECT_EQ(shown(options), (Words{"a:alpha:5", "b:alpha:1"}));
}

TEST(SymbolReport, a_clone_is_found_by_the_name_of_its_function) {
    test::FakeSymbols symbols{{"f(int) [clone .isra.0]", 0x100, 0x10}};
    Profile profile;
    profile.columns = head(1).columns;
    profile.images = {{image("/bin/a"), &symbols}};
    profile.symbols = {{0, &symbols.symbols()[0]}};
    profile.locations = {{0, 0, ImageOffset{0x100}}};
    profile.frames = {0};
    profile.samples = {{0, 0, 1}};
    profile.counts = {3};
    ReportOptions options;
    for (const char* name : {"f", "f(int)", "f(int) [clone .isra.0]"}) {
        options.include_symbols = {name};
        EXPECT_EQ(report_symbols(profile, head(1), options).rows.size(), 1u) << name;
    }
    options.include_symbols = {"f(long)"};
    EXPECT_TRUE(report_symbols(profile, head(1), options).rows.empty());
}

TEST(SymbolReport, a_name_without_its_namespaces_is_found_if_no_symbol_has_just_that) {
    test::FakeSymbols symbols{{"logs::score(std::string const&)", 0x100, 0x10},
                              {"shop::score<std::pair<int, long> >(int)", 0x110, 0x10},
                              {"logs::Table<int, a::b>::find(int) const", 0x120, 0x10},
                              {"find", 0x130, 0x10},
                              {"Table::operator>(Table const&) const", 0x140, 0x10},
                              {"scores()", 0x150, 0x10}};
    const Profile profile = profile_of(symbols);
    const auto found = [&](const Words& included, const Words& excluded = {}) {
        ReportOptions options;
        options.include_symbols = included;
        options.exclude_symbols = excluded;
        options.sort = parse_sort_keys(Words{"vma"});
        std::string text;
        for (const SymbolRow& row : report_symbols(profile, head(1), options).rows)
            text += static_cast<char>('0' + row.address.value() / 0x10 % 0x10);
        return text;
    };
    EXPECT_EQ(found({"score"}), "01");
    EXPECT_EQ(found({"score", "scores"}), "015");
    EXPECT_EQ(found({"find"}), "3") << "one symbol is that";
    EXPECT_EQ(found({"logs::score"}), "0");
    EXPECT_EQ(found({"operator>"}), "") << "a name with brackets has to be whole";
    EXPECT_EQ(found({}, {"score"}), "012345") << "to exclude takes the whole name";
    EXPECT_EQ(found({"sco"}), "");
    EXPECT_EQ(bare_names(profile, {}), (Words{"find", "operator>", "score", "scores"}));
}

TEST(SymbolReport, a_name_is_looked_for_alike_in_all_profiles_that_are_compared) {
    test::FakeSymbols old{{"logs::score(int)", 0x100, 0x10}, {"logs::rest()", 0x110, 0x10}};
    test::FakeSymbols now{{"logs::score(int)", 0x100, 0x10}, {"score", 0x110, 0x10}};
    const Profile before = profile_of(old), after = profile_of(now);
    ReportOptions options;
    options.include_symbols = {"score", "rest"};
    const Profile* const both[] = {&before, &after};
    options.bare_names = included_bare_names(both, options);
    EXPECT_EQ(options.bare_names, Words{"rest"}) << "one side has a symbol that is just score";
    EXPECT_EQ(wanted_symbols(before, options), (std::vector<bool>{false, true}));
    EXPECT_EQ(wanted_symbols(after, options), (std::vector<bool>{false, true}));
}

TEST(SymbolReport, a_name_is_found_that_was_split_at_its_commas) {
    test::FakeSymbols symbols{{"f(int, long)", 0x100, 0x10},
                              {"g(int)", 0x110, 0x10},
                              {"std::vector<int, std::allocator<int> >::push_back(int&&)", 0x120, 0x10},
                              {"A::operator<(A const&) const", 0x130, 0x10},
                              {"bool operator< <int, long>(A<int, long> const&)", 0x140, 0x10},
                              {"A<int, long>::operator->() const", 0x150, 0x10},
                              {"A::{lambda(int, long)#1}::operator()(int, long) const", 0x160, 0x10}};
    const Profile profile = profile_of(symbols);
    const auto found = [&](const Words& parts) {  // the digits of the symbols' addresses
        ReportOptions options;
        options.include_symbols = parts;
        options.sort = parse_sort_keys(Words{"vma"});
        std::string text;
        for (const SymbolRow& row : report_symbols(profile, head(1), options).rows)
            text += static_cast<char>('0' + row.address.value() / 0x10 % 0x10);
        return text;
    };
    EXPECT_EQ(found({"f(int", " long)", "g"}), "01");
    EXPECT_EQ(found({"f(int", " short)", "h"}), "");
    EXPECT_EQ(found({"std::vector<int", " std::allocator<int> >::push_back(int&&)", "g"}), "12");
    EXPECT_EQ(found({"A::operator<", "A<int", " long>::operator->", "g"}), "135");
    EXPECT_EQ(found({"bool operator< <int", " long>(A<int", " long> const&)", "g"}), "14");
    EXPECT_EQ(found({"A::{lambda(int", " long)#1}::operator()(int", " long) const", "g"}), "16");
}

TEST(SymbolReport, an_inlined_function_with_a_bare_name_is_found_by_its_whole_name) {
    Shared shared;
    ReportOptions options;
    options.include_symbols = {"(anonymous namespace)::Greek::beta(int, char)", "Greek::gamma(int)"};
    EXPECT_TRUE(report_symbols(shared.profile, head(1), options).rows.empty());
    shared.profile.symbols[2].is_inlined = true;
    EXPECT_EQ(shown(report_symbols(shared.profile, head(1), options)), Words{"b:beta:7"});
}

TEST(SymbolReport, an_inlined_function_is_excluded_by_its_own_name_only) {
    Shared shared;
    shared.profile.symbols[2].is_inlined = true;
    ReportOptions options;
    options.exclude_symbols = {"Greek::beta(int, char)"};
    EXPECT_EQ(shown(report_symbols(shared.profile, head(1), options)), shown(ReportOptions{}));
    options.exclude_symbols = {"beta"};
    EXPECT_EQ(shown(report_symbols(shared.profile, head(1), options)),
              (Words{"a:alpha:5", "a:gamma:5", "b:[no symbol]:2", "b:alpha:1"}));
}

TEST(CallgraphReport, has_the_totals_and_columns_of_what_the_filter_lets_through) {
    Shared shared;
    shared.profile.arcs = {{1, 1, 2, 1}};  // beta calls alpha
    shared.profile.arc_counts = {4};
    ReportOptions options;
    options.include_symbols = {"alpha", "gamma"};
    const auto report = report_callgraph(shared.profile, head(1), options);
    EXPECT_EQ(report.totals, report_symbols(shared.profile, head(1), options).totals);
    EXPECT_EQ(report.blocks.size(), 3u);
    EXPECT_TRUE(report.columns.has_images);
    shared.profile.images[0].symbols = &shared.symbols;
    for (auto& symbol : shared.profile.symbols)
        symbol.image = 0;
    for (auto& location : shared.profile.locations)
        location.image = 0;
    options.include_symbols = {"gamma"};
    EXPECT_FALSE(report_callgraph(shared.profile, head(1), options).columns.has_images)
        << "the lines shown are all of the application's own image";
}

TEST(CallgraphReport, samples_in_no_symbol_are_one_function) {
    Shared shared;
    shared.profile.arcs = {{1, 1, 3, 2}};
    shared.profile.arc_counts = {4};
    ReportOptions options;
    options.include_symbols = {"[no symbol]"};
    const auto report = report_callgraph(shared.profile, head(1), options);
    ASSERT_EQ(report.blocks.size(), 1u);
    ASSERT_EQ(report.lines.size(), 3u);
    EXPECT_EQ(report.lines[0].symbol.name, "[no symbol]");
    EXPECT_EQ(report.lines[1].symbol.name, "beta");
    EXPECT_EQ(report.counts, (std::vector<uint64_t>{2, 4, 2}));
}

TEST(SymbolReport, threshold_hides_rows_and_their_names_are_never_asked_for) {
    ReportOptions options;
    options.threshold = 30;
    Shared shared;
    const auto report = report_symbols(shared.profile, head(1), options);
    EXPECT_EQ(shown(report), Words{"b:beta:7"});
    EXPECT_EQ(report.totals, std::vector<uint64_t>{20});
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

TEST(ReportHead, names_the_modes_in_which_an_event_was_counted) {
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
              Words{"E:100 is the sum of 2 events that differ in their modes only"});
}

TEST(ReportHead, has_one_event_unless_events_are_the_axis) {
    Diagnostics notes;
    EXPECT_EQ(make_head({}, Axis::cpu, head(3).columns, {}, nullptr, notes).events.size(), 1u);
    EXPECT_EQ(make_head({}, Axis::event, head(3).columns, {}, nullptr, notes).events.size(), 3u);
}

TEST(ShownName, has_a_slash_for_the_kernel_among_full_paths) {
    const ImageName kernel{ImageName::Kind::kernel, "no-vmlinux"};
    EXPECT_EQ(shown_name(kernel, true), "/no-vmlinux");
    EXPECT_EQ(shown_name(kernel, false), "no-vmlinux");
}

TEST(ShownName, is_the_base_name_except_for_memory_without_a_file) {
    EXPECT_EQ(shown_name(image("/bin/a"), false), "a");
    EXPECT_EQ(shown_name(image("/bin/a"), true), "/bin/a");
    const ImageName memory{ImageName::Kind::anon, "anon", 1, 0x10, 0x1f};
    EXPECT_EQ(shown_name(memory, false), memory.display());
}

TEST(ShownName, has_one_pair_of_brackets_behind_a_function) {
    EXPECT_EQ(name_in_brackets(image("/lib/libc.so.6"), false), "[libc.so.6]");
    EXPECT_EQ(name_in_brackets(image("/usr/bin/["), false), "[[]");
    EXPECT_EQ(name_in_brackets({ImageName::Kind::anon, "[jit] 7"}, false), "[jit] 7");
    EXPECT_EQ(name_in_brackets({ImageName::Kind::anon, "anon"}, true), "[anon]");
}

}  // namespace op::pp
