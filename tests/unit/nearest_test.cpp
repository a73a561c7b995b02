// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/base/nearest.h"

#include <gtest/gtest.h>

namespace op {

using Names = std::vector<std::string>;

TEST(NearestNames, names_a_few_letters_off_are_found_the_nearest_first) {
    EXPECT_EQ(nearest_names("CYCLS", {"INST", "CYCLES", "CYCLE"}), (Names{"CYCLE", "CYCLES"}));
    EXPECT_EQ(nearest_names("cycles", {"CYCLES"}), Names{"CYCLES"});
    EXPECT_EQ(nearest_names("TIMRE", {"TIMER"}), Names{"TIMER"});
    EXPECT_EQ(nearest_names("INTS_RETIRED", {"INST_RETIRED", "UOPS"}), Names{"INST_RETIRED"});
}

TEST(NearestNames, parts_of_names_are_found_after_those) {
    EXPECT_EQ(nearest_names("LLC", {"LLC_MISSES", "LLD"}), (Names{"LLD", "LLC_MISSES"}));
}

TEST(NearestNames, no_similar_name_gives_an_empty_text) {
    EXPECT_EQ(nearest_names("BRANCHES", {"CYCLES", "INST"}), Names{});
    EXPECT_EQ(nearest_names("", {"A"}), Names{});
    EXPECT_EQ(nearest_names(std::string(1000, 'A'), {std::string(1000, 'A')}), Names{});
}

TEST(NearestNames, at_most_three_are_listed_each_once) {
    EXPECT_EQ(nearest_names("AAAA", {"AAAB", "AAAC", "AAAD", "AAAE", "AAAB"}).size(), 3u);
}

TEST(NearestNames, they_are_listed_in_a_sentence) {
    EXPECT_EQ(did_you_mean({}), "");
    EXPECT_EQ(did_you_mean({"A"}), "; did you mean A?");
    EXPECT_EQ(did_you_mean({"A", "B", "C"}), "; did you mean A, B or C?");
}

}  // namespace op
