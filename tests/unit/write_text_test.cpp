// SPDX-License-Identifier: GPL-2.0-or-later
// The layout to the letter; whole reports are in tests/golden/opreport.
#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "libop/base/text.h"
#include "libop/events/cpu_model.h"
#include "libpp/report/text_lines.h"
#include "libpp/report/writer.h"

namespace op::pp {

namespace {

ReportHead head() {
    ReportHead result;
    result.cpu_type = "i386/core_2";
    result.cpu_name = "Core 2";
    result.cpu_speed_mhz = 2394.05;
    result.columns = {{"CPU_CLK_UNHALTED", 100000, 0, {}, {}, {}}};
    result.events = {{"CPU_CLK_UNHALTED", true, "Clock cycles", "No unit mask", 100000, 0}};
    return result;
}

SymbolReport symbols() {
    SymbolReport report;
    report.head = head();
    report.columns.images = {"demo", "libdemo.so"};
    report.totals = {10};
    report.rows = {{0, 0, LinkAddress{0x400100}, "work", SourceLine{"/src/work.c", 12}},
                   {1, 0, LinkAddress{0x200}, "hot", std::nullopt}};
    report.counts = {9, 1};
    return report;
}

std::string write_text(const Report& report, const TextStyle& style = {}) {
    return find_writer("text")->write(report, style);
}

std::string without_banner(std::string text) {
    return text.substr(text.find("\n", text.find("\n") + 1) + 1);
}

/// The text as on a terminal, without the one line of its head.
std::string below_head(const Report& report, const TextStyle& style) {
    const std::string text = write_text(report, style);
    return text.substr(text.find("\n") + 1);
}

}  // namespace

TEST(TextWriter, is_in_the_table) {
    ASSERT_NE(find_writer("text"), nullptr);
    EXPECT_TRUE(find_writer("text")->is_for_people);
    EXPECT_EQ(find_writer("yaml"), nullptr);
}

TEST(TextWriter, the_banner_names_processor_and_event) {
    EXPECT_EQ(write_text(ImageReport{head(), {}}),
              "CPU: Core 2, speed 2394.05 MHz (estimated)\n"
              "Counted CPU_CLK_UNHALTED events (Clock cycles) with a unit mask of 0x00 (No unit mask) "
              "count 100000\n"
              "CPU_CLK_UNHALT...|\n"
              "  samples|      %|\n"
              "------------------\n");
}

TEST(TextWriter, banner_of_the_timer_names_no_event) {
    ImageReport report{head(), {}};
    report.head.is_timer = true;
    report.head.cpu_speed_mhz = 0;
    EXPECT_TRUE(write_text(report).starts_with("CPU: Core 2\nProfiling through timer interrupt\n"));
}

TEST(TextWriter, a_unit_mask_is_the_same_in_the_banner_and_in_the_line_on_a_terminal) {
    ImageReport report{head(), {}};
    report.head.events[0].unit_mask = 1;
    const TextStyle terminal{.width = 80};
    EXPECT_TRUE(write_text(report).find(" with a unit mask of 0x01 ") != std::string::npos);
    EXPECT_TRUE(write_text(report, terminal).starts_with("CPU_CLK_UNHALTED:100000:0x01 on Core 2\n"));
    report.head.events[0].count = 0;
    EXPECT_TRUE(write_text(report, terminal).starts_with("CPU_CLK_UNHALTED:0x01 on Core 2\n"));
}

namespace {

/// Changes of work on two CPUs, of single sessions or the mean of `sessions`.
SymbolReport changes(size_t sessions = 1) {
    SymbolReport report;
    report.head.axis = Axis::cpu;
    report.head.columns = {{"TIMER", 1'000'000, 0, {}, {}, 0}, {"TIMER", 1'000'000, 0, {}, {}, 1}};
    report.head.events = {{"TIMER", true, "Timer", "", 1'000'000, 0}};
    report.columns.images = {"demo"};
    report.columns.has_changes = true;
    report.totals_before = {7, 3};
    report.totals = {90, 4};
    report.rows = {{0, 0, LinkAddress{0x400100}, "work", std::nullopt}};
    report.counts_before = {7, 3};
    report.counts = {90, 4};
    report.differences = {{Difference::Kind::changed, 0, {}, {0, 0}, true}, {Difference::Kind::changed, 0}};
    report.power.sessions_before = report.power.sessions_after = {sessions, 1};
    return report;
}

/// The text below the head and the names of two columns.
std::string below_columns(const SymbolReport& report, const TextStyle& style) {
    std::string text = below_head(report, style);
    for (int line = 0; line < 2; ++line)
        text.erase(0, text.find('\n') + 1);
    return text;
}

}  // namespace

TEST(TextWriter, changes_have_milliseconds_on_a_terminal_where_these_leave_room_for_names) {
    EXPECT_EQ(below_columns(changes(), {.width = 80}),
              "before after delta before after delta symbol name\n"
              "7      90    +83   3      4     +1    total\n"
              "7      90    +83*  3      4     +1    work\n");
    EXPECT_EQ(below_columns(changes(), {.width = 120}),
              "before after delta before ms after ms delta ms "
              "before after delta before ms after ms delta ms symbol name\n"
              "7      90    +83   7         90       +83      "
              "3      4     +1    3         4        +1       total\n"
              "7      90    +83*  7         90       +83      "
              "3      4     +1    3         4        +1       work\n");
}

TEST(TextWriter, samples_of_a_clock_are_shown_as_the_time_that_they_are_worth) {
    SymbolReport report = symbols();
    report.head.columns = {{"TIMER", 250'000, 0, {}, {}, {}}};
    report.head.shows_time = true;
    EXPECT_EQ(below_head(report, {.width = 60}),
              "ms       %        symbol name\n"
              "2.2      90.0000  work\n"
              "0.2      10.0000  hot\n");
    report.head.columns.front().count = 10'000;
    EXPECT_EQ(below_head(report, {.width = 60}),
              "ms       %        symbol name\n"
              "0.09     90.0000  work\n"
              "0.01     10.0000  hot\n");
    SymbolReport change = changes();
    change.head.shows_time = true;
    EXPECT_EQ(below_columns(change, {.width = 100}),
              "before ms after ms delta ms before ms after ms delta ms symbol name\n"
              "7         90       +83      3         4        +1       total\n"
              "7         90       +83*     3         4        +1       work\n");
}

TEST(TextWriter, changes_of_mean_sessions_have_a_decimal) {
    EXPECT_EQ(below_columns(changes(40), {.width = 80}),
              "before after delta before after delta symbol name\n"
              "0.2    2.3   +2.1  3.0    4.0   +1.0  total\n"
              "0.2    2.3   +2.1* 3.0    4.0   +1.0  work\n");
}

/// The notes of a report with that head.
std::vector<std::string> notes_of(const ReportHead& head, const TextStyle& style) {
    std::vector<std::string> notes;
    const std::string text = write_text(ImageReport{head, {}}, style);
    for (std::string_view rest = text; !rest.empty();)
        if (std::string line(take_line(rest)); line.starts_with("Note: ")) notes.push_back(line.substr(6));
    return notes;
}

TEST(TextWriter, a_terminal_has_three_remarks_and_no_word_that_nothing_was_lost) {
    ReportHead some = head();
    some.account.emplace();
    some.account->ledger.add_sampled(2);
    some.account->ledger.add_stored(2);
    some.facts = {account_line(*some.account)};
    EXPECT_EQ(notes_of(some, {}), some.facts);
    EXPECT_EQ(notes_of(some, {.width = 80, .has_all_notes = true}), some.facts);
    EXPECT_EQ(notes_of(some, {.width = 80}), std::vector<std::string>{});
    some.account->ledger.add_sampled(1);
    some.account->ledger.add_lost(LossCause::guest, 0, 1);
    some.facts = {account_line(*some.account)};
    EXPECT_EQ(notes_of(some, {.width = 80}), some.facts);
    some.remarks = {"a", "b"};
    EXPECT_EQ(notes_of(some, {.width = 80}), (std::vector<std::string>{"a", "b", some.facts.front()}));
    some.remarks = {"a", "b", "c", "d"};
    EXPECT_EQ(notes_of(some, {.width = 80}),
              (std::vector<std::string>{"a", "b", "2 further notes: opreport --session-info has all",
                                        some.facts.front()}));
    EXPECT_EQ(notes_of(some, {}).size(), 5u);
    some.account->stacks = 3;
    some.account->complete_stacks = 2;
    some.account->ledger = {};
    some.facts = {account_line(*some.account)};
    some.remarks.clear();
    EXPECT_EQ(notes_of(some, {.width = 80}), some.facts);
}

TEST(TextWriter, a_name_keeps_its_columns_whatever_is_behind_it) {
    Lines lines("", TextStyle{.width = 40});
    lines.add({.cells = "12   ", .name = "encode_object", .end = " (recursion, up to 3 deep) [_json.so]"});
    lines.add({.cells = std::string(60, ' '), .name = "encode_object"});
    const std::string text = std::move(lines).text();
    EXPECT_TRUE(text.starts_with("12   encode_object (recursion")) << text;
}

TEST(TextWriter, columns_leave_room_for_names_or_do_not) {
    const auto least = [](const Report& report) {
        size_t width = 1;
        while (!leaves_room_for_names(report, {.width = width}))
            ++width;
        return width;
    };
    CallTreeReport tree;
    tree.totals = {7, 7, 7};
    EXPECT_EQ(least(tree), 3 * (9 + 9 + 9) + least_name);
    tree.is_by_callee = true;
    EXPECT_EQ(least(tree), 3 * (9 + 9) + least_name);
    tree.head.has_intervals = true;
    EXPECT_EQ(least(tree), 3 * (9 + 9 + 9) + least_name);
    ImageReport images;
    images.head.columns.resize(3);
    EXPECT_EQ(least(images), 3 * 18 + least_name);
    SymbolReport symbols;
    symbols.totals = {7, 7};
    symbols.columns.is_accumulated = true;
    EXPECT_EQ(least(symbols), 2 * (9 + 14 + 9 + 11) + least_name);
    symbols.columns.is_inclusive = symbols.columns.has_addresses = true;
    EXPECT_EQ(least(symbols), 9 + 2 * (9 + 14 + 9 + 11 + 15 + 9) + least_name);
    EXPECT_TRUE(leaves_room_for_names(symbols, {}));
    EXPECT_TRUE(leaves_room_for_names(symbols, {.width = 20, .has_whole_names = true}));
}

// The pattern that op2calltree takes for the line of an event.
int event_lines(const std::string& text) {
    int lines = text.starts_with("Counted") || text.starts_with("Profiling through timer");
    for (const char* line : {"\nCounted", "\nProfiling through timer"})
        for (size_t at = text.find(line); at != text.npos; at = text.find(line, at + 1))
            ++lines;
    return lines;
}

TEST(TextWriter, banner_has_one_event_line_a_column_for_op2calltree) {
    ImageReport report{head(), {}};
    EXPECT_EQ(event_lines(write_text(report)), 1);
    report.head.is_timer = true;
    EXPECT_EQ(event_lines(write_text(report)), 1);
    report.head.columns.push_back(report.head.columns[0]);
    report.head.events.push_back(report.head.events[0]);
    EXPECT_EQ(event_lines(write_text(report)), 2);
}

TEST(TextWriter, no_remark_begins_with_a_hexadecimal_digit_which_op2calltree_takes_for_an_address) {
    ImageReport report{head(), {}};
    report.head.remarks = {"CPU_CLK_UNHALTED:100000 was counted in user mode only"};
    EXPECT_NE(write_text(report).find("\nNote: CPU_CLK_UNHALTED:100000 was"), std::string::npos);
}

TEST(TextWriter, banner_names_the_classes_of_another_axis) {
    ImageReport report{head(), {}};
    report.head.axis = Axis::cpu;
    report.head.columns[0].cpu = 3;
    EXPECT_NE(write_text(report).find("count 100000\nSamples on CPU 3\n            cpu:3|\n"),
              std::string::npos);
}

TEST(TextWriter, banner_has_names_of_processes_on_a_terminal_only) {
    ImageReport report{head(), {}};
    report.head.axis = Axis::tgid;
    report.head.columns[0].tgid = 100;
    report.head.columns[0].thread_name = "build.sh";
    EXPECT_NE(write_text(report).find("\nProcesses with a thread group ID of 100\n"), std::string::npos);
    EXPECT_NE(
        write_text(report, {.width = 80}).find("\nProcesses with a thread group ID of 100 (build.sh)\n"),
        std::string::npos);
    report.head.axis = Axis::tid;
    report.head.columns[0].tid = 100;
    EXPECT_NE(write_text(report).find("\nProcesses with a thread ID of 100\n"), std::string::npos);
}

TEST(TextWriter, images_of_an_application_are_an_indented_block_with_heads) {
    ImageReport report{head(), {{"demo", {661}, {729}, {{"libc.so.6", {50}, {661}, {}}}}}};
    EXPECT_EQ(without_banner(write_text(report)),
              "CPU_CLK_UNHALT...|\n"
              "  samples|      %|\n"
              "------------------\n"
              "      661 90.6722 demo\n"
              "\tCPU_CLK_UNHALT...|\n"
              "\t  samples|      %|\n"
              "\t------------------\n"
              "\t       50  7.5643 libc.so.6\n");
    report.head.is_shown = false;
    EXPECT_EQ(write_text(report), "      661 90.6722 demo\n\t       50  7.5643 libc.so.6\n");
}

TEST(TextWriter, symbol_columns_are_padded_and_the_last_is_not) {
    EXPECT_EQ(without_banner(write_text(symbols())),
              "samples  %        symbol name\n"
              "9        90.0000  work\n"
              "1        10.0000  hot\n");
}

TEST(TextWriter, every_symbol_column_has_its_place) {
    SymbolReport report = symbols();
    report.columns.has_addresses = report.columns.is_accumulated = report.columns.has_lines =
        report.columns.has_images = report.columns.has_apps = true;
    EXPECT_EQ(without_banner(write_text(report)),
              "vma      samples  cum. samples  %        cum. %     linenr info                 "
              "image name               app name                 symbol name\n"
              "00400100 9        9             90.0000  90.0000    work.c:12                   "
              "demo                     demo                     work\n"
              "00000200 1        10            10.0000  100.000    (no location information)   "
              "libdemo.so               demo                     hot\n");
}

TEST(TextWriter, a_cell_wider_than_its_column_is_followed_by_one_blank) {
    SymbolReport report = symbols();
    report.head.is_shown = false;
    report.columns.has_addresses = report.columns.has_wide_addresses = report.columns.has_images = true;
    report.columns.images[0] = "a-name-that-is-just-as-long-as-the-column";
    report.rows.resize(1);
    EXPECT_EQ(write_text(report),
              "0000000000400100 9        90.0000  a-name-that-is-just-as-long-as-the-column work\n");
}

TEST(TextWriter, lets_no_control_character_out) {
    SymbolReport report = symbols();
    report.rows[0].name = "wo\x1b[31mrk\n";
    report.columns.images[0] = "de\tmo";
    report.columns.has_images = report.columns.has_lines = true;
    report.rows[0].line = SourceLine{"/src/a\rb.c", 1};
    const std::string text = write_text(report);
    EXPECT_EQ(text.find_first_of("\x1b\t\r"), std::string::npos);
    EXPECT_NE(text.find("wo?[31mrk?\n"), std::string::npos);
}

TEST(TextWriter, the_head_is_one_line_on_a_terminal) {
    SymbolReport report = symbols();
    report.head.samples_dir = "/home/ann/oprofile_data/samples/";
    const std::string text = write_text(report, {.width = 200});
    EXPECT_EQ(text.substr(0, text.find('\n')),
              "CPU_CLK_UNHALTED:100000 on Core 2, in /home/ann/oprofile_data/samples/");
    EXPECT_EQ(text.find("CPU: "), std::string::npos);
    const std::string narrow = write_text(report, {.width = 20});
    EXPECT_EQ(narrow.substr(0, narrow.find('\n')), "CPU_CLK_UNHALTED:...");
    report.head.is_shown = false;
    EXPECT_EQ(write_text(report, {.width = 200}).find("Core 2"), std::string::npos);
}

TEST(TextWriter, no_line_is_wider_than_the_terminal) {
    SymbolReport report = symbols();
    report.rows[0].name = "a_function_with_a_name_that_is_rather_long";
    const std::string text = below_head(report, {.width = 40});
    EXPECT_EQ(text,
              "samples  %        symbol name\n"
              "9        90.0000  a_function_with_a_n...\n"
              "1        10.0000  hot\n");
}

TEST(TextWriter, cuts_between_characters_not_bytes) {
    const auto umlauts = [](size_t n) {
        std::string text;
        while (n-- > 0)
            text += "\u00e4";
        return text;
    };
    const std::string fits = umlauts(11), too_long = umlauts(12);
    SymbolReport report = symbols();
    report.rows[0].name = too_long;
    report.rows[1].name = fits;
    EXPECT_EQ(below_head(report, {.width = 29}),
              "samples  %        symbol name\n"
              "9        90.0000  " +
                  umlauts(8) + "...\n" + "1        10.0000  " + fits + "\n");
}

TEST(TextWriter, names_of_images_take_no_more_room_than_they_need_on_a_terminal) {
    SymbolReport report = symbols();
    report.columns.has_images = true;
    EXPECT_EQ(below_head(report, {.width = 80}),
              "samples  %        image name symbol name\n"
              "9        90.0000  demo       work\n"
              "1        10.0000  libdemo.so hot\n");
}

TEST(TextWriter, a_long_image_name_leaves_room_for_the_symbol_on_a_terminal) {
    SymbolReport report = symbols();
    report.columns.has_images = true;
    report.columns.images[1] = "anon (tgid:17 range:0x7f0000000000-0x7f0000000fff)";
    EXPECT_EQ(below_head(report, {.width = 60}),
              "samples  %        image name symbol name\n"
              "9        90.0000  demo       work\n"
              "1        10.0000  anon (t... hot\n");
}

TEST(TextWriter, whole_names_are_neither_shortened_nor_cut) {
    SymbolReport report = symbols();
    report.rows[0].name = "std::vector<int, std::allocator<int> >::push_back(int&&)";
    EXPECT_EQ(below_head(report, {.width = 30, .has_whole_names = true}),
              "samples  %        symbol name\n"
              "9        90.0000  std::vector<int, std::allocator<int> >::push_back(int&&)\n"
              "1        10.0000  hot\n");
}

TEST(TextWriter, rulers_are_no_wider_than_the_terminal) {
    CallgraphReport report;
    report.head = head();
    report.totals = {1};
    EXPECT_TRUE(write_text(report, {.width = 40}).ends_with("\n" + std::string(40, '-') + "\n"));
    EXPECT_TRUE(write_text(report, {}).ends_with("\n" + std::string(79, '-') + "\n"));
}

TEST(TextWriter, large_shares_are_coloured_and_nothing_else_changes) {
    SymbolReport report = symbols();
    report.totals = {1000};
    report.counts = {900, 4};
    EXPECT_EQ(without_banner(write_text(report, {.has_color = true})),
              "samples  %        symbol name\n"
              "\033[31m900      90.0000  work\033[m\n"
              "4         0.4000  hot\n");
}

}  // namespace op::pp
