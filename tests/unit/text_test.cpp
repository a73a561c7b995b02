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
    for (const std::string& part : {"a,b"s, "a\\,,b\\"s, "plain"s})
        EXPECT_EQ(split_list(list_part(part)), std::vector{part});
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
            expected[place] = c < 0x20 || (c >= 0x7f && c < 0xa0) ? '?' : static_cast<char>(c);
            EXPECT_EQ(printable(text), expected) << c << " at " << place;
        }
}

/// The UTF-8 of a character of the basic plane.
std::string utf8(uint32_t code) {
    const auto byte = [](uint32_t value) { return static_cast<char>(value); };
    if (code < 0x80) return {byte(code)};
    if (code < 0x800) return {byte(0xc0 | code >> 6), byte(0x80 | (code & 0x3f))};
    return {byte(0xe0 | code >> 12), byte(0x80 | (code >> 6 & 0x3f)), byte(0x80 | (code & 0x3f))};
}

TEST(Text, printable_hides_controls_beyond_ascii_and_keeps_other_utf8) {
    const auto is_hidden = [](uint32_t c) {
        return c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == 0x61c || c == 0x200e || c == 0x200f ||
               (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
    };
    for (uint32_t code = 0; code < 0x10000; ++code) {
        if (code >= 0xd800 && code < 0xe000) continue;  // surrogates are not characters
        const std::string character = utf8(code);
        ASSERT_EQ(printable(character), is_hidden(code) ? "?" : character) << code;
        ASSERT_EQ(printable("names " + character + " and more of them"),
                  "names " + (is_hidden(code) ? "?" : character) + " and more of them")
            << code;
    }
    EXPECT_EQ(printable("\U0001f600 \U0001009b"), "\U0001f600 \U0001009b");
}

TEST(Text, printable_hides_c1_bytes_outside_utf8_and_keeps_other_bytes) {
    EXPECT_EQ(printable("a\x9b[2J"), "a?[2J");
    EXPECT_EQ(printable("caf\xe9"), "caf\xe9");
    EXPECT_EQ(printable("\xc0\x9b"), "\xc0?") << "an overlong form";
    EXPECT_EQ(printable("\xe2\x80"), "\xe2?") << "a form cut off";
    EXPECT_EQ(printable("\xed\xa0\x80"), "\xed\xa0?") << "a surrogate";
    EXPECT_EQ(printable("\xc4\x9b"), "\xc4\x9b") << "part of a letter";
}

TEST(Text, printable_lines_keep_tabs_and_line_ends) {
    EXPECT_EQ(printable_lines("\tint x;\n\x1b]0;t\x07\r\nb\rc\n\n"), "\tint x;\n?]0;t?\r\nb?c\n\n");
    EXPECT_EQ(printable_lines(""), "");
    EXPECT_EQ(printable_lines("a\r"), "a?");
    EXPECT_EQ(printable_lines("\r\n"), "\r\n");
    EXPECT_EQ(printable_lines("a\r\tb"), "a?\tb");
}

}  // namespace op
