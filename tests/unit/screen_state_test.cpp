// SPDX-License-Identifier: GPL-2.0-or-later
#include "utils/optop/screen_state.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "libpp/report/fit_names.h"

namespace op::tool {

namespace {

Picture picture_of(size_t rows) {
    Picture picture;
    picture.event = "TIMER:1000";
    picture.seconds = 2;
    for (uint32_t i = 0; i < rows; ++i) {
        LiveRow row{"f" + std::to_string(i), "/lib/x.so", "/bin/app", {rows - i, rows}};
        row.place = {i, 100 + i, ImageOffset{}};
        picture.rows.rows.push_back(row);
    }
    picture.rows.all = {rows * 2, rows * 4};
    return picture;
}

ScreenState state_of(bool has_unicode = false) {
    return {2, Signs::of(has_unicode)};
}

void type(ScreenState& state, std::string_view text) {
    for (const char c : text)
        state.press(ScreenKey::other, c);
}

bool is_shown(const std::vector<ScreenLine>& lines, std::string_view text) {
    return std::ranges::any_of(lines,
                               [&](const ScreenLine& line) { return line.text.find(text) != text.npos; });
}

const std::vector<uint32_t> events{3, 5};

}  // namespace

TEST(ScreenState, fills_the_screen_and_no_more) {
    ScreenState state = state_of(true);
    Picture picture = picture_of(50);
    picture.rows.rows[0].symbol = "std::vector<int, std::allocator<int> >::push_back(int const&)";
    picture.state.is_there = false;
    for (const RowGroup group : {RowGroup::function, RowGroup::image, RowGroup::application})
        for (const size_t columns : {1U, 20U, 39U, 40U, 60U, 80U, 300U})
            for (const size_t rows : {1U, 3U, 4U, 24U, 100U}) {
                picture.group = group;
                for (const char panel : {'V', 'h', 'a', 'h', 'c'}) {
                    type(state, {&panel, 1});
                    const auto lines = state.lines(picture, columns, rows);
                    EXPECT_LE(lines.size(), rows);
                    for (const ScreenLine& line : lines)
                        EXPECT_LE(pp::columns_of(line.text), columns) << line.text;
                }
                state.press(ScreenKey::escape, 0);
            }
    EXPECT_TRUE(is_shown(state.lines(picture_of(1), 19, 24), "needs 20x4"));
    EXPECT_TRUE(is_shown(state.lines(picture_of(1), 20, 24), "f0"));
    EXPECT_TRUE(is_shown(state.lines(picture_of(1), 80, 24), "f0"));
}

TEST(ScreenState, a_remark_is_whole_on_a_narrow_screen) {
    ScreenState state = state_of();
    Picture picture = picture_of(3);
    picture.state.is_there = false;
    std::string all;
    for (const ScreenLine& line : state.lines(picture, 20, 24))
        all += line.text + " ";
    EXPECT_NE(all.find(remarks_of(picture).front()), std::string::npos) << all;
    EXPECT_NE(all.find("f2"), std::string::npos) << all;
}

TEST(ScreenState, the_selected_row_is_always_shown) {
    ScreenState state = state_of();
    const Picture picture = picture_of(50);
    const auto selected = [&] {
        const auto lines = state.lines(picture, 80, 10);
        return lines[state.selected_line()].text.substr(32, 3);
    };
    EXPECT_EQ(selected(), "f0 ");
    state.press(ScreenKey::down, 0);
    EXPECT_EQ(selected(), "f1 ");
    state.press(ScreenKey::end, 0);
    EXPECT_EQ(selected(), "f49");
    state.press(ScreenKey::down, 0);
    EXPECT_EQ(selected(), "f49");
    state.press(ScreenKey::page_up, 0);
    EXPECT_EQ(selected(), "f42") << "7 rows are shown";
    state.select_line(3);
    EXPECT_EQ(selected(), "f43");
    state.press(ScreenKey::home, 0);
    EXPECT_EQ(selected(), "f0 ");
    state.select_line(4);
    EXPECT_EQ(selected(), "f2 ");
    state.select_line(9);
    EXPECT_EQ(selected(), "f2 ") << "the last line is no row";
    state.select_line(4);
    EXPECT_EQ(state.panel(), Panel::names) << "a second click shows more";
}

TEST(ScreenState, keys_change_what_is_wanted) {
    ScreenState state = state_of();
    EXPECT_EQ(state.wish(events).event, 3U);
    type(state, "e");
    EXPECT_EQ(state.wish(events).event, 5U);
    type(state, "\t");
    EXPECT_EQ(state.wish(events).event, 3U);
    EXPECT_EQ(state.wish({}).event, 0U);
    EXPECT_EQ(state.press(ScreenKey::other, 's'), ScreenTask::remake);
    EXPECT_EQ(state.wish(events).order, RowOrder::change);
    for (const auto& [key, span] : {std::pair('2', Span::minute), {'3', Span::start}, {'1', Span::window}}) {
        EXPECT_EQ(state.press(ScreenKey::other, key), ScreenTask::remake);
        EXPECT_EQ(state.span(), span);
    }
    for (const RowGroup group : {RowGroup::image, RowGroup::application, RowGroup::function}) {
        type(state, "g");
        EXPECT_EQ(state.wish(events).group, group);
    }
    for (const RowMode mode : {RowMode::kernel, RowMode::user, RowMode::all}) {
        type(state, "i");
        EXPECT_EQ(state.wish(events).mode, mode);
    }
    type(state, "k");
    EXPECT_EQ(state.wish(events).mode, RowMode::kernel);
    type(state, "k");
    EXPECT_EQ(state.wish(events).mode, RowMode::all);
    type(state, "f");
    EXPECT_TRUE(state.is_frozen());
    EXPECT_TRUE(is_shown(state.lines(picture_of(3), 80, 24), "FROZEN"));
    EXPECT_EQ(state.press(ScreenKey::other, 'b'), ScreenTask::set_base);
    EXPECT_EQ(state.press(ScreenKey::other, 'B'), ScreenTask::clear_base);
    EXPECT_EQ(state.press(ScreenKey::other, 'P'), ScreenTask::write_text);
    type(state, "q");
    EXPECT_TRUE(state.is_quitting());
}

TEST(ScreenState, plus_and_minus_change_the_interval_within_its_limits) {
    ScreenState state = state_of();
    type(state, "+++");
    EXPECT_EQ(state.pace().interval(), 0.5);
    type(state, "----------");
    EXPECT_EQ(state.pace().interval(), 60);
}

TEST(ScreenState, a_key_selects_the_image_or_application_of_the_row_and_another_gives_it_back) {
    ScreenState state = state_of();
    state.lines(picture_of(3), 80, 24);
    state.press(ScreenKey::down, 0);
    EXPECT_EQ(state.press(ScreenKey::other, 'd'), ScreenTask::remake);
    EXPECT_EQ(state.wish(events).image, 1U);
    EXPECT_TRUE(is_shown(state.lines(picture_of(3), 80, 24), "image: x.so"));
    type(state, "tk");
    EXPECT_EQ(state.wish(events).app, 100U) << "the first row is selected again";
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(state.press(ScreenKey::escape, 0), ScreenTask::remake);
    EXPECT_FALSE(state.wish(events).image || state.wish(events).app);
    EXPECT_EQ(state.wish(events).mode, RowMode::all);
    type(state, "dd");
    EXPECT_FALSE(state.wish(events).image);
}

TEST(ScreenState, a_filter_holds_when_enter_is_pressed) {
    ScreenState state = state_of();
    type(state, "/quit");
    EXPECT_FALSE(state.is_quitting()) << "q is a letter here";
    EXPECT_EQ(state.wish({}).filter, "");
    state.press(ScreenKey::erase, 0);
    EXPECT_EQ(state.press(ScreenKey::enter, 0), ScreenTask::remake);
    EXPECT_EQ(state.wish({}).filter, "qui");
    type(state, "/x");
    state.press(ScreenKey::escape, 0);
    EXPECT_EQ(state.wish({}).filter, "qui");
    state.press(ScreenKey::escape, 0);
    EXPECT_EQ(state.wish({}).filter, "");
}

TEST(ScreenState, w_asks_for_the_kind_of_file) {
    ScreenState state = state_of();
    for (const auto& [key, task] : {std::pair('t', ScreenTask::write_text),
                                    {'j', ScreenTask::write_json},
                                    {'h', ScreenTask::write_page},
                                    {'q', ScreenTask::none}}) {
        EXPECT_EQ(state.press(ScreenKey::other, 'w'), ScreenTask::none);
        EXPECT_TRUE(is_shown(state.lines(picture_of(1), 80, 24), "t text, j JSON"));
        EXPECT_EQ(state.press(ScreenKey::other, key), task);
    }
    EXPECT_FALSE(state.is_quitting());
    state.set_notice("written: optop-1.txt");
    EXPECT_TRUE(is_shown(state.lines(picture_of(1), 80, 24), "written: optop-1.txt"));
    type(state, "V");
    EXPECT_FALSE(is_shown(state.lines(picture_of(1), 80, 24), "written"));
}

TEST(ScreenState, calls_are_shown_level_by_level) {
    ScreenState state = state_of();
    EXPECT_EQ(state.press(ScreenKey::other, 'c'), ScreenTask::none) << "there is no row";
    state.lines(picture_of(3), 80, 24);
    EXPECT_EQ(state.press(ScreenKey::other, 'c'), ScreenTask::remake);
    EXPECT_EQ(state.panel(), Panel::calls);
    EXPECT_EQ(state.subject().symbol, "f0");
    RowCalls calls{.samples = 10, .self = 4};
    calls.callers = {{0, "main", "/bin/app", 9}, {1, "_start", "/bin/app", 9}};
    calls.callees = {{0, "leaf", "/lib/x.so", 6}};
    state.set_calls(calls);
    const auto lines = state.lines(picture_of(3), 80, 24);
    EXPECT_TRUE(is_shown(lines, "10 samples with what it called, 4 in its own code"));
    EXPECT_TRUE(is_shown(lines, " 90.00        9  main [app]"));
    EXPECT_TRUE(is_shown(lines, " 60.00        6  leaf [x.so]"));
    EXPECT_FALSE(is_shown(lines, "_start"));
    type(state, "E");
    EXPECT_TRUE(is_shown(state.lines(picture_of(3), 80, 24), " 90.00        9    _start [app]"));
    type(state, "C");
    EXPECT_FALSE(is_shown(state.lines(picture_of(3), 80, 24), "_start"));
    type(state, "g");
    EXPECT_EQ(state.wish(events).group, RowGroup::function) << "which is of rows";
    state.press(ScreenKey::escape, 0);
    EXPECT_EQ(state.panel(), Panel::rows);
}

TEST(ScreenState, code_begins_at_its_hottest_instruction) {
    ScreenState state = state_of();
    state.lines(picture_of(3), 80, 24);
    type(state, "a");
    std::vector<CodeRow> code(100);
    for (size_t i = 0; i < code.size(); ++i)
        code[i] = {0x1000 + i, 0, "nop", "x.c:1"};
    code[70].samples = 3;
    code[20].samples = 1;
    state.set_code(code);
    EXPECT_TRUE(is_shown(state.lines(picture_of(3), 80, 10), " 75.00        3  1046  nop  x.c:1"));
    state.set_code({});
    EXPECT_TRUE(is_shown(state.lines(picture_of(3), 80, 10), "no code is known"));
}

TEST(ScreenState, a_significant_change_has_a_sign_and_a_tone) {
    for (const bool has_unicode : {false, true}) {
        ScreenState state = state_of(has_unicode);
        Picture picture = picture_of(3);
        picture.rows.rows[0].change = 0.0521;
        picture.rows.rows[1].change = -0.0521;
        picture.rows.rows[0].is_significant = picture.rows.rows[1].is_significant = true;
        const auto lines = state.lines(picture, 80, 24);
        EXPECT_NE(lines[2].text.find(has_unicode ? "\u25b2+5.21" : "^+5.21"), std::string::npos);
        EXPECT_NE(lines[3].text.find(has_unicode ? "\u25bc-5.21" : "v-5.21"), std::string::npos);
        EXPECT_EQ(lines[2].tone, Tone::rise);
        EXPECT_EQ(lines[3].tone, Tone::fall);
        EXPECT_NE(lines[4].text.find(" +0.00"), std::string::npos);
        picture.rows.all.before = 0;
        EXPECT_FALSE(is_shown(state.lines(picture, 80, 24), "5.21")) << "there is nothing to compare with";
    }
}

TEST(ScreenState, names_obey_no_terminal) {
    Picture picture = picture_of(1);
    picture.event = "E\033]0;x\a:1";
    picture.rows.rows[0] = {"f\033[2J\n", "/lib/\033c", "/bin/\xe2\x80\xae", {1, 1}};
    ScreenState state = state_of();
    RowCalls calls{.samples = 1};
    calls.callers = {{0, "f\033c", "/bin/\033c", 1}};
    for (const char* keys : {"V", "a", "hhc", "hhdt", "hhw"}) {
        for (const ScreenLine& line : state.lines(picture, 80, 24))
            EXPECT_TRUE(std::ranges::none_of(line.text, [](unsigned char c) { return c < ' ' || c == 0x7f; }))
                << line.text;
        type(state, keys);
        state.set_calls(calls);
        state.set_code({{1, 1, "nop\033c", "\033c:1"}});
    }
    state.press(ScreenKey::enter, 0);
    for (const ScreenLine& line : state.lines(picture, 80, 24))
        EXPECT_EQ(line.text.find('\033'), std::string::npos);
    EXPECT_EQ(picture_text(picture, Signs::of(true)).find('\033'), std::string::npos);
    EXPECT_EQ(picture_json(picture).find('\033'), std::string::npos);
}

TEST(Pace, the_interval_follows_what_a_look_costs) {
    Pace pace(2);
    pace.spent(0.19);
    EXPECT_FALSE(pace.is_stretched());
    pace.spent(0.21);
    EXPECT_EQ(pace.interval(), 4);
    pace.spent(0.41);
    EXPECT_EQ(pace.interval(), 8);
    pace.spent(0.3);
    EXPECT_EQ(pace.interval(), 8) << "neither too much nor so little that half the interval would do";
    pace.spent(0.1);
    pace.spent(0.05);
    EXPECT_EQ(pace.interval(), 2);
    pace.spent(0);
    EXPECT_EQ(pace.interval(), 2) << "no less than asked for";
    for (int i = 0; i < 20; ++i)
        pace.spent(100);
    EXPECT_EQ(pace.interval(), 60);
    pace.ask(1);
    EXPECT_EQ(pace.interval(), 1);
}

}  // namespace op::tool
