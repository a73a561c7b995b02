// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "libop/base/error.h"
#include "libop/base/json.h"
#include "libpp/export/exporter.h"
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
    EXPECT_EQ(*frames[1].find("file")->if_string(), "/bin/app");
}

}  // namespace op::pp
