// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/base/diagnostics.h"

#include <gtest/gtest.h>

namespace op {

TEST(Diagnostics, a_text_is_reported_once) {
    Diagnostics notes;
    notes.warn("a");
    notes.warn("b");
    notes.warn("a");
    EXPECT_EQ(notes.take(), (std::vector<std::string>{"a", "b"}));
    notes.warn("a");
    EXPECT_TRUE(notes.take().empty());
}

TEST(Diagnostics, beyond_a_thousand_texts_the_rest_is_only_counted) {
    Diagnostics notes;
    for (int i = 0; i < 100'000; ++i)
        notes.warn("note " + std::to_string(i));
    const auto taken = notes.take();
    ASSERT_EQ(taken.size(), Diagnostics::limit + 1);
    EXPECT_EQ(taken.back(), "99000 further notes");
    EXPECT_TRUE(notes.take().empty());
    notes.warn("note 5");
    EXPECT_TRUE(notes.take().empty()) << "reported before";
}

TEST(Diagnostics, conclusions_are_last_once_and_can_be_had_alone) {
    Diagnostics notes;
    notes.conclude("nothing");
    notes.warn("a");
    notes.conclude("nothing");
    EXPECT_EQ(notes.take(), (std::vector<std::string>{"a", "nothing"}));
    notes.warn("b");
    notes.conclude("no more");
    EXPECT_EQ(notes.take_conclusions(), (std::vector<std::string>{"no more"}));
    EXPECT_EQ(notes.take(), (std::vector<std::string>{"b"}));
}

}  // namespace op
