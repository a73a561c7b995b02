// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/base/markup.h"

#include <gtest/gtest.h>

namespace op::pp {

TEST(MarkupText, escapes_what_markup_is_made_of) {
    EXPECT_EQ(markup_text("a<b> & \"c\" 'd'"), "a&lt;b&gt; &amp; &quot;c&quot; 'd'");
    EXPECT_EQ(markup_text("]]>&amp;"), "]]&gt;&amp;amp;");
}

TEST(MarkupText, keeps_tabs_and_shows_other_control_characters_as_question_marks) {
    EXPECT_EQ(markup_text("a\tb\033[2J\n\x7f"), "a\tb?[2J??");
    EXPECT_EQ(markup_text(std::string_view("\0", 1)), "?");
    EXPECT_EQ(markup_text("\xc2\x80|\xc2\x9b|\xc2\x9f|\xc2\xa0"), "?|?|?|\xc2\xa0");
}

TEST(MarkupText, shows_marks_that_change_the_direction_of_text_as_question_marks) {
    EXPECT_EQ(markup_text("\u202ea\u2066b\u2028c"), "?a?b?c");
}

TEST(MarkupText, replaces_what_is_no_utf8) {
    const std::string bad = "\xef\xbf\xbd";
    EXPECT_EQ(markup_text("\xff<"), bad + "&lt;");
    EXPECT_EQ(markup_text("\xc3"), bad);
    EXPECT_EQ(markup_text("\xc0\xbc"), bad + bad);                      // an overlong '<'
    EXPECT_EQ(markup_text("\xed\xa0\x80"), bad + bad + bad);            // a surrogate
    EXPECT_EQ(markup_text("\xf4\x90\x80\x80"), bad + bad + bad + bad);  // beyond U+10FFFF
}

TEST(MarkupText, replaces_characters_that_xml_does_not_have) {
    EXPECT_EQ(markup_text("\xef\xbf\xbe\xef\xbf\xbf\xef\xbf\xbc"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbc");
}

TEST(MarkupText, keeps_characters_of_all_lengths) {
    EXPECT_EQ(markup_text("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x94\xa5"), "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x94\xa5");
}

}  // namespace op::pp
