// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "libop/base/error.h"
#include "libop/base/json.h"
#include "libpp/export/export_gmon.h"
#include "libpp/export/exporter.h"
#include "libpp/export/profile_part.h"
#include "libpp/profile/split_inlines.h"
#include "tests/unit/fake_stacks.h"

namespace op::pp {

namespace {

constexpr auto dump_short = static_cast<uint32_t>(StackEnd::dump_short);

std::string folded(Profile& profile) {
    return find_exporter("folded")->write(profile, {});
}

}  // namespace

TEST(ExportFolded, has_a_line_for_each_stack) {
    test::FakeStacks made;
    made.add(0, {"main@10", "f"}, 1);
    made.add(0, {"main@20", "f"}, 2);
    made.add(0, {"main", "libc:malloc"}, 4);
    made.add(2, {"main", "libc:"}, 8);
    made.add(0, {"g", "f"}, 16, dump_short);
    EXPECT_EQ(folded(made.finish()),
              "app;[truncated: dump_short];g;f 16\n"
              "app;main;f 3\n"
              "app;main;malloc 4\n"
              "other;main;[libc.so] 8\n");
}

TEST(ExportFolded, joins_stacks_of_the_same_names_and_sorts_them_by_names) {
    test::FakeStacks made;
    made.add(0, {"main@10", "g@10", "h"}, 1);
    made.add(0, {"main@10", "f@10"}, 2);
    made.add(0, {"main@20", "g@20", "h@10"}, 4);
    made.add(0, {"main@20", "f"}, 8);
    made.add(0, {"main@20"}, 16);
    EXPECT_EQ(folded(made.finish()),
              "app;main 16\n"
              "app;main;f 10\n"
              "app;main;g;h 5\n");
}

TEST(ExportFolded, has_no_separator_in_a_name) {
    test::FakeStacks made;
    test::FakeSymbols odd{{"a;b\nc", 0x100, 0x100}};
    made.profile.images[0].symbols = &odd;
    made.add(0, {"a;b\nc"}, 1);
    EXPECT_EQ(folded(made.finish()), "app;a:b?c 1\n");
}

TEST(ExportFolded, wants_one_event_and_stacks) {
    test::FakeStacks two(2);
    two.profile.columns[0].event = "A";
    two.profile.columns[1].event = "B";
    two.add(0, {"main"}, 1);
    try {
        folded(two.finish());
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(std::string(error.what()),
                  "--format=folded has a place for one event: choose one with event: (recorded: A, B)");
    }
    Profile none;
    none.columns.resize(1);
    EXPECT_THROW(folded(none), Error);
}

TEST(ExportSpeedscope, has_a_sampled_profile_for_each_event) {
    test::FakeStacks made(2);
    made.profile.columns[0].event = "A";
    made.profile.columns[1].event = "B";
    made.add(0, {"main", "f"}, 3, 0, 0);
    made.add(0, {"main", "libc:malloc"}, 4, 0, 0);
    made.add(0, {"main"}, 5, dump_short, 1);
    const Json json =
        parse_json(find_exporter("speedscope")->write(made.finish(), {}), "output", "profile", {});
    EXPECT_EQ(*json.find("$schema")->if_string(), "https://www.speedscope.app/file-format-schema.json");
    const auto& frames = *json.find("shared")->find("frames")->if_array();
    const auto names = [&](const Json& sample) {
        std::string text;
        for (const Json& frame : *sample.if_array())
            text += *frames[*frame.unsigned_number()].find("name")->if_string() + ";";
        return text;
    };
    const auto& profiles = *json.find("profiles")->if_array();
    ASSERT_EQ(profiles.size(), 2U);
    const Json& first = profiles[0];
    EXPECT_EQ(*first.find("type")->if_string(), "sampled");
    EXPECT_EQ(*first.find("name")->if_string(), "A");
    EXPECT_EQ(*first.find("unit")->if_string(), "none");
    EXPECT_EQ(first.find("startValue")->unsigned_number(), 0U);
    EXPECT_EQ(first.find("endValue")->unsigned_number(), 7U);
    const auto& samples = *first.find("samples")->if_array();
    const auto& weights = *first.find("weights")->if_array();
    ASSERT_EQ(samples.size(), 2U);
    ASSERT_EQ(weights.size(), 2U);
    EXPECT_EQ(names(samples[0]), "app;main;f;");
    EXPECT_EQ(weights[0].unsigned_number(), 3U);
    EXPECT_EQ(names(samples[1]), "app;main;malloc;");
    EXPECT_EQ(names((*profiles[1].find("samples")->if_array())[0]), "app;[truncated: dump_short];main;");
    EXPECT_EQ(*frames[0].find("file")->if_string(), "/bin/app");
    EXPECT_FALSE(frames[1].find("file")) << "a cut";
}

TEST(ExportSpeedscope, of_a_clock_weighs_milliseconds) {
    test::FakeStacks made(1);
    made.profile.columns[0].event = "TIMER";
    made.profile.columns[0].count = 250'000;
    made.add(0, {"main", "f"}, 3, 0, 0);
    made.add(0, {"main"}, 8, 0, 0);
    const Json json =
        parse_json(find_exporter("speedscope")->write(made.finish(), {}), "output", "profile", {});
    const Json& profile = (*json.find("profiles")->if_array())[0];
    EXPECT_EQ(*profile.find("unit")->if_string(), "milliseconds");
    std::vector<double> weights;
    for (const Json& weight : *profile.find("weights")->if_array())
        weights.push_back(*weight.number());
    EXPECT_EQ(weights, (std::vector<double>{2, 0.75}));
    EXPECT_EQ(profile.find("endValue")->number(), std::optional(2.75));
}

// What the schema cannot express, and speedscope relies on.
TEST(ExportSpeedscope, has_frames_in_range_and_weights_that_add_up) {
    test::FakeStacks made(2);
    made.profile.columns[0].event = "A";
    made.profile.columns[1].event = "B";
    for (uint32_t i = 1; i <= 20; ++i) {
        const std::string name = "f" + std::to_string(i % 7);
        made.add(i % 2 ? 0 : 2, {"main", name, i % 3 ? "g" : name}, i, i % 5 ? 0 : dump_short, i % 2);
    }
    const Json json =
        parse_json(find_exporter("speedscope")->write(made.finish(), {}), "output", "profile", {});
    const size_t frames = json.find("shared")->find("frames")->if_array()->size();
    uint64_t all = 0;
    for (const Json& profile : *json.find("profiles")->if_array()) {
        const auto& samples = *profile.find("samples")->if_array();
        const auto& weights = *profile.find("weights")->if_array();
        EXPECT_EQ(samples.size(), weights.size());
        for (const Json& stack : samples)
            for (const Json& frame : *stack.if_array())
                EXPECT_LT(frame.unsigned_number().value_or(UINT64_MAX), frames);
        uint64_t sum = 0;
        for (const Json& weight : weights)
            sum += weight.unsigned_number().value_or(0);
        EXPECT_EQ(profile.find("startValue")->unsigned_number(), 0U);
        EXPECT_EQ(profile.find("endValue")->unsigned_number(), sum);
        all += sum;
    }
    EXPECT_EQ(all, 210U);
}

TEST(ExportCallgrind, has_the_calls_of_stacks_once_in_recursion) {
    test::FakeStacks made;
    made.add(0, {"main@10", "f@20", "f@20", "f"}, 3);
    made.add(0, {"main@10", "libc:malloc"}, 2);
    const std::string text = find_exporter("callgrind")->write(made.finish(), {});
    const auto has = [&](const char* part) { return text.find(part) != text.npos; };
    EXPECT_TRUE(has("\nsummary: 5\n")) << text;
    EXPECT_TRUE(has("cfn=(2) f\ncalls=3 0x400200 512\n0x40010f 271 3\n")) << text;
    EXPECT_TRUE(has("cfn=(2)\ncalls=3 0x400200 512\n0x40021f 543 3\n")) << text;
    EXPECT_TRUE(has("cfn=(3) malloc\ncalls=2 ")) << text;
}

TEST(ExportGmon, has_the_calls_of_stacks_within_the_image) {
    test::FakeStacks made;
    made.add(0, {"main@10", "f@20", "f"}, 3);
    made.add(0, {"main@10", "f@30", "libc:malloc"}, 2);
    Diagnostics notes;
    const std::string with = export_gmon(made.finish(), 0, 8, notes);
    made.profile.stacks = {};
    constexpr size_t arc = 1 + 8 + 8 + 4;
    EXPECT_EQ(with.size(), export_gmon(made.profile, 0, 8, notes).size() + 2 * arc);
}

TEST(ProfilePart, has_the_stacks_of_its_application_and_columns) {
    test::FakeStacks made(2);
    made.profile.columns[0].tgid = made.profile.columns[0].tid = 1;
    made.profile.columns[1].tgid = made.profile.columns[1].tid = 2;
    made.add(0, {"main", "f"}, 3, 0, 0);
    made.add(0, {"main", "g"}, 4, 0, 1);
    made.add(2, {"main"}, 5, 0, 1);
    const auto parts = profile_parts(made.finish());
    std::vector<std::string> texts;
    for (const ProfilePart& part : parts) {
        Profile profile = profile_of(made.profile, part);
        profile.check();
        texts.push_back(folded(profile));
    }
    EXPECT_EQ(texts, (std::vector<std::string>{"app;main;f 3\n", "app;main;g 4\n", "other;main 5\n"}));
}

TEST(SplitInlines, makes_inlined_functions_frames_of_stacks) {
    test::FakeStacks made;
    made.app.frames_at[0x10f] = {{"inner", "/i.h", 1}, {"outer", "/o.h", 2}, {"main", "/m.c", 3}};
    made.app.frames_at[0x204] = {{"leaf", "/l.h", 1}, {"f", "/f.c", 3}};
    made.add(0, {"main@10", "f"}, 3);
    made.add(0, {"main@20", "f@8"}, 1);
    split_by_inlined_functions(made.finish(), {.with_calls = true});
    EXPECT_EQ(folded(made.profile), "app;main;f 1\napp;main;outer;inner;f;leaf 3\n");
    EXPECT_TRUE(made.profile.arcs.empty());
}

}  // namespace op::pp
