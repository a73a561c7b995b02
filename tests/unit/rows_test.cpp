// SPDX-License-Identifier: GPL-2.0-or-later
#include "fleet/rows.h"

#include <gtest/gtest.h>

#include "libop/base/error.h"

using namespace std::literals;

namespace op::fleet {

TEST(Rows, have_names_and_cells) {
    const Rows rows = Rows::parse("a\tb\n1\tx\n-2\ty\\tz\n", "test");
    EXPECT_EQ(rows.size(), 2u);
    EXPECT_EQ(rows.names(), (std::vector{"a"s, "b"s}));
    EXPECT_EQ(rows.number(0, 0), 1u);
    EXPECT_EQ(rows.signed_number(1, 0), -2);
    EXPECT_EQ(rows.text(1, 1), "y\tz");
}

TEST(Rows, of_an_empty_answer_are_none) {
    EXPECT_TRUE(Rows::parse("", "test").empty());
    EXPECT_EQ(Rows::parse("", "test").size(), 0u);
    EXPECT_EQ(Rows::parse("a\n", "test").size(), 0u);
}

TEST(Rows, that_are_cut_off_or_of_another_width_are_refused) {
    EXPECT_THROW(Rows::parse("a\tb\n1\t2", "test"), Error);
    EXPECT_THROW(Rows::parse("a\tb\n1\n", "test"), Error);
    EXPECT_THROW(Rows::parse("a\n1\t2\n", "test"), Error);
}

TEST(Rows, what_is_no_number_is_refused) {
    const Rows rows = Rows::parse("a\n\n-1\n1x\n18446744073709551616\n1.5\n", "test");
    for (size_t row = 0; row < rows.size(); ++row)
        EXPECT_THROW(rows.number(row, 0), Error) << row;
    EXPECT_EQ(rows.real(4, 0), 1.5);
    EXPECT_THROW(rows.real(0, 0), Error);
}

TEST(Rows, lists_of_texts_are_unescaped) {
    EXPECT_EQ(parse_string_array("[]", "test"), std::vector<std::string>{});
    EXPECT_EQ(parse_string_array("['']", "test"), std::vector{""s});
    EXPECT_EQ(parse_string_array(R"(['a\'b,','c\n'])", "test"), (std::vector{"a'b,"s, "c\n"s}));
}

TEST(Rows, what_is_no_list_is_refused) {
    for (const char* text :
         {"", "[", "['", "['a", "['a'", "['a',", "['a',]", "['a']]", "[a]", "'a'", R"(['a\)"})
        EXPECT_THROW(parse_string_array(text, "test"), Error) << text;
}

TEST(Rows, escapes_become_what_they_are) {
    EXPECT_EQ(unescaped_field(R"(a\tb\nc\\d\0e\'f\)"), "a\tb\nc\\d\0e'f\\"s);
}

}  // namespace op::fleet
