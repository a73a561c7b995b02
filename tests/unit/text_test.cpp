// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/base/text.h"

#include <gtest/gtest.h>

using namespace std::literals;

namespace op {

TEST(Text, split_keeps_empty_parts) {
    EXPECT_EQ(split("a::b", ':'), (std::vector{"a"sv, ""sv, "b"sv}));
    EXPECT_EQ(split("", ':'), std::vector{""sv});
}

TEST(Text, split_list_honours_escaped_commas) {
    EXPECT_EQ(split_list("a,b\\,c,,d"), (std::vector{"a"s, "b,c"s, "d"s}));
}

TEST(Text, parse_number_takes_the_whole_text_or_nothing) {
    EXPECT_EQ(parse_number("42"), 42u);
    EXPECT_EQ(parse_number("ff", 16), 255u);
    EXPECT_EQ(parse_number("42x"), std::nullopt);
    EXPECT_EQ(parse_number("-1"), std::nullopt);
    EXPECT_EQ(parse_number(""), std::nullopt);
    EXPECT_EQ(parse_number("18446744073709551616"), std::nullopt);
}

TEST(Text, the_reason_why_a_text_is_no_number_is_given) {
    for (const char* large : {"99999999999999999999", "0x10000000000000000", "07777777777777777777777"})
        EXPECT_EQ(c_integer_fault(large), "too large") << large;
    for (const char* none : {"", "x", "0x", "09", "99999999999999999999x", "-1"})
        EXPECT_EQ(c_integer_fault(none), "not a number") << none;
}

TEST(Text, parse_c_integer_knows_hex_and_octal) {
    EXPECT_EQ(parse_c_integer("0x10"), 16u);
    EXPECT_EQ(parse_c_integer("010"), 8u);
    EXPECT_EQ(parse_c_integer("0"), 0u);
    EXPECT_EQ(parse_c_integer("0x"), std::nullopt);
    EXPECT_EQ(parse_c_integer("08"), std::nullopt);
}

TEST(Text, lines_and_words_are_taken_from_the_front) {
    std::string_view text = "one  two\nthree";
    std::string_view line = take_line(text);
    EXPECT_EQ(take_word(line), "one");
    EXPECT_EQ(take_word(line), "two");
    EXPECT_EQ(take_word(line), "");
    EXPECT_EQ(take_line(text), "three");
    EXPECT_TRUE(text.empty());
}

TEST(Text, joined_texts_have_separators_between_them_only) {
    const std::vector<std::string> texts{"", "a", ""};
    EXPECT_EQ(joined({}), "");
    EXPECT_EQ(joined(texts), ", a, ");
    EXPECT_EQ(joined(std::span(texts).subspan(1, 1), " "), "a");
    const int numbers[] = {1, 2, 3};
    EXPECT_EQ(joined(numbers, "+", [](int n) { return std::to_string(n); }), "1+2+3");
    const std::pair<int, const char*> members[] = {{1, "x"}, {2, "y"}};
    EXPECT_EQ(joined(members, ";", &std::pair<int, const char*>::second), "x;y");
}

TEST(Text, long_lists_are_cut) {
    const std::vector<std::string> texts{"1", "2", "3", "4", "5", "6", "7"};
    const std::span<const std::string> all(texts);
    EXPECT_EQ(short_list({}), "");
    EXPECT_EQ(short_list(all.first(5)), "1,2,3,4,5");
    EXPECT_EQ(short_list(all), "1,2,3,4,5 and 2 more");
}

TEST(Text, printable_hides_control_characters) {
    EXPECT_EQ(printable("a\nb\x1b[0m"), "a?b?[0m");
    for (int c = 0; c < 256; ++c)
        for (size_t place = 0; place < 20; ++place) {
            std::string text(20, 'x'), expected = text;
            text[place] = static_cast<char>(c);
            expected[place] = c < 0x20 || c == 0x7f ? '?' : static_cast<char>(c);
            EXPECT_EQ(printable(text), expected) << c << " at " << place;
        }
}

}  // namespace op
