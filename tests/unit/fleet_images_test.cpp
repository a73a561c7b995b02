// SPDX-License-Identifier: GPL-2.0-or-later
#include "fleet/fleet_images.h"

#include <gtest/gtest.h>

namespace op::fleet {
namespace {

using Numbers = std::vector<uint64_t>;

FleetImages example() {
    return FleetImages(
        {{1, {.build_id = "aa", .paths = {"/usr/bin/app"}, .kind = "file", .release = "r1"}},
         {2, {.build_id = "bb", .paths = {"/usr/bin/app", "/opt/app2"}, .kind = "file", .release = "r2"}},
         {3, {.paths = {"/opt/a*b\\c'"}, .kind = "file"}},
         {4, {.paths = {"/kernel"}, .kind = "kernel"}}});
}

TEST(FleetImages, match_by_path_or_by_base_name) {
    const FleetImages images = example();
    EXPECT_EQ(images.matching("/usr/bin/app"), (Numbers{1, 2}));
    EXPECT_EQ(images.matching("app"), (Numbers{1, 2}));
    EXPECT_EQ(images.matching("app2"), (Numbers{2}));
    EXPECT_EQ(images.matching("bin/app"), Numbers{});
    EXPECT_EQ(images.matching(""), Numbers{});
}

TEST(FleetImages, match_by_wildcards_or_exactly) {
    const FleetImages images = example();
    EXPECT_EQ(images.matching("app*"), (Numbers{1, 2}));
    EXPECT_EQ(images.matching("/opt/*"), (Numbers{2, 3}));
    EXPECT_EQ(images.matching("a*b\\c'"), (Numbers{3}));  // as it is called
    EXPECT_EQ(images.matching("ap\\p"), Numbers{});
}

TEST(FleetImages, have_releases) {
    EXPECT_EQ(example().of_release("r2"), (Numbers{2}));
    EXPECT_EQ(example().of_release(""), Numbers{});
}

TEST(FleetImages, a_number_without_a_row_has_a_name) {
    EXPECT_EQ(example().path(2), "/usr/bin/app");
    EXPECT_EQ(example().path(255), "[image 00000000000000ff]");
}

TEST(MatchesWord, nothing_ends_at_a_nul_without_wildcards) {
    EXPECT_FALSE(matches_word("web", std::string_view("web\0x", 5)));
    EXPECT_TRUE(matches_word("web*", "web1"));
}

}  // namespace
}  // namespace op::fleet
