// SPDX-License-Identifier: GPL-2.0-or-later
#include "fleet/fleet_profile.h"

#include <gtest/gtest.h>

#include "libpp/export/exporter.h"

namespace op::fleet {
namespace {

constexpr uint64_t app = 10, library = 20;
constexpr uint8_t code = 0, application = 1, cut = 2, call = 3;

FleetImages images() {
    FleetImages all;
    all.add(app, {.build_id = "aa", .paths = {"/bin/app"}, .kind = "file"});
    all.add(library, {.build_id = "bb", .paths = {"/lib/l.so"}, .kind = "file"});
    return all;
}

/// app > main > work, with five samples, and two more without a stack.
ProfileRows rows() {
    ProfileRows rows;
    rows.samples = {{app, app, 0x20, 7}};
    rows.stack_samples = {{3, 5}};
    rows.stacks = {{1, {0, app, 0, application}}, {2, {1, app, 0x11, call}}, {3, {2, app, 0x20, code}}};
    rows.places = {{{app, 0x10}, {0x8, "main", "", 0}}, {{app, 0x20}, {0x18, "work(int)", "w.c", 3}}};
    return rows;
}

std::string folded(const ProfileRows& rows, uint64_t* lost = nullptr) {
    FleetProfile built;
    build_fleet_profile(rows, {.number = 1, .name = "TIMER", .period = 1}, images(), built);
    if (lost != nullptr) *lost = built.lost_stacks;
    return built.profile.stacks.is_empty() ? "" : pp::find_exporter("folded")->write(built.profile, {});
}

}  // namespace

TEST(FleetProfile, has_the_servers_names_and_all_samples) {
    EXPECT_EQ(folded(rows()), "app;[truncated: no_stack];work(int) 2\napp;main;work(int) 5\n");
}

TEST(FleetProfile, has_images_for_what_has_no_name) {
    ProfileRows more = rows();
    more.places.clear();
    EXPECT_EQ(folded(more), "app;[app];[app] 5\napp;[truncated: no_stack];[app] 2\n");
}

TEST(FleetProfile, has_lines_of_sampled_places) {
    FleetProfile built;
    build_fleet_profile(rows(), {}, images(), built);
    const auto line = built.profile.images[0].symbols->line(ImageOffset{0x20});
    ASSERT_TRUE(line);
    EXPECT_EQ(line->file, "w.c");
    EXPECT_EQ(line->line, 3u);
    EXPECT_FALSE(built.profile.images[0].symbols->line(ImageOffset{0x21}));
}

TEST(FleetProfile, takes_only_stacks_that_end_where_samples_are) {
    ProfileRows more = rows();
    more.samples = {{app, library, 0x20, 1}};
    more.stacks[4] = {2, library, 0x20, code};
    more.stack_samples.push_back({4, 1});
    EXPECT_EQ(folded(more), "app;main;[l.so] 1\n");
}

TEST(FleetProfile, loses_stacks_that_are_none) {
    const std::map<uint64_t, StackNodeRow> broken = {
        {3, {3, app, 1, code}},        {4, {99, app, 1, code}}, {5, {0, app, 1, code}},
        {6, {1, app, 0, application}}, {7, {2, app, 0, cut}},   {8, {1, app, 1, 77}},
        {9, {10, app, 1, call}},       {10, {9, app, 1, call}}, {11, {0, 0, 0, cut}},
    };
    for (const auto& [stack, node] : broken) {
        ProfileRows more = rows();
        more.stacks.insert_or_assign(stack, node);
        more.stack_samples = {{stack, 4}};
        uint64_t lost = 0;
        folded(more, &lost);
        EXPECT_EQ(lost, 4u) << stack;
    }
}

TEST(FleetProfile, takes_reasons_of_cuts_that_it_does_not_know) {
    for (const uint64_t reason : {uint64_t{0}, uint64_t{99}, ~uint64_t{0}}) {
        ProfileRows more = rows();
        more.stacks[2] = {1, 0, reason, cut};
        EXPECT_EQ(folded(more),
                  "app;[truncated: no_stack];work(int) 2\napp;[truncated: unsupported];work(int) 5\n");
    }
}

TEST(FleetProfile, is_sound_whatever_the_names_are) {
    for (const PlaceName& name : {PlaceName{0x21, "behind", "", 0}, PlaceName{0x10, "same", "", 0},
                                  PlaceName{~uint64_t{0}, "far", "", 0}, PlaceName{0, "", "file", 1}}) {
        ProfileRows more = rows();
        more.samples.push_back({app, app, 0x40, 1});
        more.places[{app, 0x40}] = {0x4, "outer", "", 0};
        more.places[{app, 0x20}] = name;
        EXPECT_NE(folded(more), "");
    }
    ProfileRows last = rows();
    last.samples.push_back({app, app, ~uint64_t{0}, 1});
    last.places[{app, ~uint64_t{0}}] = {~uint64_t{0} - 1, "last", "", 0};
    EXPECT_NE(folded(last), "");
    EXPECT_EQ(folded({}), "");
}

}  // namespace op::fleet
