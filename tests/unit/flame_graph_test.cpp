// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "libop/base/error.h"
#include "libpp/export/exporter.h"
#include "libpp/export/flame_layout.h"
#include "tests/unit/fake_stacks.h"

namespace op::pp {

namespace {

constexpr auto dump_short = static_cast<uint32_t>(StackEnd::dump_short);

FlameLayout layout_of(const Profile& profile, uint64_t boxes_in_row = 11800) {
    const FrameNames names(profile, Demangle::normal);
    return lay_out(NamedStacks(profile, names), 0, boxes_in_row);
}

/// A box a line: as many blanks as its depth, its name, where it begins, its samples.
std::string boxes(const Profile& profile, uint64_t boxes_in_row = 11800) {
    const FrameNames names(profile, Demangle::normal);
    std::string text;
    for (const FlameBox& box : lay_out(NamedStacks(profile, names), 0, boxes_in_row).boxes) {
        const std::string name = box.name == FlameBox::root      ? "all"
                                 : box.name == FlameBox::smaller ? std::to_string(box.frames) + " smaller"
                                                                 : names.name(box.name);
        text += std::string(box.depth, ' ') + name + " " + std::to_string(box.start) + "+" +
                std::to_string(box.samples) + "\n";
    }
    return text;
}

/// Boxes lie on their callers, next to each other; their widths add up to no more than the caller's.
void expect_sound(const FlameLayout& layout) {
    struct Place {
        uint64_t next, end;
    };
    std::vector<Place> path;
    uint32_t deepest = 0;
    for (const FlameBox& box : layout.boxes) {
        ASSERT_LE(box.depth, path.size());
        ASSERT_EQ(box.depth == 0, &box == layout.boxes.data());
        path.resize(box.depth);
        if (!path.empty()) {
            EXPECT_EQ(box.start, path.back().next);
            EXPECT_LE(box.samples, path.back().end - box.start);
            path.back().next += box.samples;
        }
        path.push_back({box.start, box.start + box.samples});
        deepest = std::max(deepest, box.depth);
    }
    EXPECT_EQ(layout.depth, deepest);
}

std::string graph(const Profile& profile) {
    return find_exporter("flamegraph")->write(profile, {});
}

size_t count_of(const std::string& text, std::string_view part) {
    size_t count = 0;
    for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1))
        ++count;
    return count;
}

/// The colour of the box of that name, as red and blue.
std::pair<long, long> colour(const std::string& text, const std::string& name) {
    const size_t at = text.find("fill=\"#", text.find("<title>" + name + "\n")) + 7;
    return {std::stol(text.substr(at, 2), nullptr, 16), std::stol(text.substr(at + 4, 2), nullptr, 16)};
}

}  // namespace

TEST(FlameLayout, has_a_box_for_each_frame_by_name_on_that_of_its_caller) {
    test::FakeStacks made;
    made.add(0, {"main", "h"}, 1);
    made.add(0, {"main", "f", "g"}, 2);
    made.add(0, {"main", "f"}, 4);
    made.add(0, {"main@10", "f@10"}, 8);
    made.add(0, {"main"}, 16);
    made.add(2, {"main"}, 32);
    made.add(0, {"g"}, 64, dump_short);
    EXPECT_EQ(boxes(made.finish()),
              "all 0+127\n"
              " app 0+95\n"
              "  [truncated: dump_short] 0+64\n"
              "   g 0+64\n"
              "  main 64+31\n"
              "   f 64+14\n"
              "    g 64+2\n"
              "   h 78+1\n"
              " other 95+32\n"
              "  main 95+32\n");
    EXPECT_EQ(layout_of(made.profile).narrow_samples, 0U);
}

TEST(FlameLayout, joins_the_frames_of_a_caller_that_are_too_narrow) {
    test::FakeStacks made;
    made.add(0, {"main", "f", "h"}, 4);
    made.add(0, {"main", "g"}, 90);
    made.add(0, {"main", "h"}, 6);
    made.finish();
    EXPECT_EQ(boxes(made.profile, 10),
              "all 0+100\n app 0+100\n  main 0+100\n   g 0+90\n   2 smaller 90+10\n");
    EXPECT_EQ(layout_of(made.profile, 10).narrow_samples, 10U);
    EXPECT_EQ(boxes(made.profile, 9), "all 0+100\n app 0+100\n  main 0+100\n   g 0+90\n");
    EXPECT_EQ(layout_of(made.profile, 9).narrow_samples, 10U) << "counted, even where they have no box";
}

TEST(FlameLayout, keeps_boxes_within_those_of_their_callers) {
    std::mt19937 random(7);
    test::FakeStacks made;
    const char* const names[] = {"main", "f", "g", "h", "libc:malloc", "libc:free", "libc:"};
    for (int i = 0; i < 400; ++i) {
        test::FakeStacks::Frames frames(1 + random() % 12);
        for (std::string& frame : frames)
            frame = names[random() % std::size(names)];
        made.add(random() % 2 * 2, frames, 1 + random() % 1000, random() % 5 == 0 ? dump_short : 0);
    }
    made.finish();
    uint64_t all = 0;
    for (const StackCount& count : made.profile.stacks.counts)
        all += count.count;
    for (const uint64_t boxes_in_row : {1, 3, 50, 1000, 11800}) {
        const FlameLayout layout = layout_of(made.profile, boxes_in_row);
        expect_sound(layout);
        EXPECT_EQ(layout.boxes.front().samples, all);
        std::map<uint32_t, uint64_t> in_row;
        for (const FlameBox& box : layout.boxes)
            EXPECT_LE(++in_row[box.depth], boxes_in_row);
    }
}

TEST(FlameLayout, holds_sums_that_are_too_large) {
    test::FakeStacks made;
    made.add(0, {"main", "f"}, UINT64_MAX - 5);
    made.add(0, {"main", "g"}, UINT64_MAX / 2);
    expect_sound(layout_of(made.profile));
    EXPECT_EQ(boxes(made.profile),
              "all 0+18446744073709551615\n app 0+18446744073709551615\n  main 0+18446744073709551615\n"
              "   f 0+18446744073709551610\n   g 18446744073709551610+5\n");
}

TEST(ExportFlamegraph, draws_ten_thousand_frames_on_each_other) {
    test::FakeStacks made;
    made.add(0, test::FakeStacks::Frames(10000, "f"), 3);
    EXPECT_EQ(layout_of(made.finish()).depth, 10001U);
    const std::string text = graph(made.profile);
    EXPECT_EQ(count_of(text, "<title>f\n/bin/app\n3 samples, 100.00 %</title>"), 10000U);
}

TEST(ExportFlamegraph, has_time_where_the_event_is_a_clock) {
    test::FakeStacks made;
    made.profile.columns[0].event = "TIMER";
    made.profile.columns[0].count = 250'000;
    made.add(0, {"main"}, 3);
    made.add(2, {"main"}, 5);
    const std::string text = graph(made.finish());
    EXPECT_EQ(count_of(text, "<title>all\n8 samples, 100.00 %, 2 ms</title>"), 1U);
    EXPECT_EQ(count_of(text, "<title>main\n/bin/app\n3 samples, 37.50 %, 0.75 ms</title>"), 1U);
    EXPECT_EQ(count_of(text, ">TIMER: 8 samples, 2 ms<"), 1U);
}

TEST(ExportFlamegraph, counts_samples_too_narrow_to_show) {
    test::FakeStacks made;
    made.profile.columns[0].event = "A";
    made.add(0, {"main", "f"}, 1);
    made.add(0, {"main"}, 99'999);
    const std::string text = graph(made.finish());
    EXPECT_EQ(count_of(text, ">A: 100000 samples; 1 sample, 0.00 %, in frames too narrow to show"), 1U);
    EXPECT_EQ(count_of(text, "<title>f\n"), 0U);
}

TEST(ExportFlamegraph, gives_the_kernel_another_hue) {
    test::FakeStacks made;
    made.profile.images[1].name = {ImageName::Kind::kernel, "vmlinux"};
    made.add(0, {"main", "f", "libc:malloc"}, 1);
    const std::string text = graph(made.finish());
    for (const char* const name : {"main", "f", "app"})
        EXPECT_GT(colour(text, name).first, colour(text, name).second) << name;
    EXPECT_LT(colour(text, "malloc").first, colour(text, "malloc").second);
}

TEST(ExportFlamegraph, has_no_markup_in_names) {
    const std::string long_name(65536, 'x');
    test::FakeSymbols odd{{"</title><script>alert(1)</script>", 0x100, 0x10},
                          {"]]>&\"'\x01\x1b[31m\n\xff\xc3\xef\xbf\xbf", 0x200, 0x10},
                          {long_name.c_str(), 0x300, 0x10}};
    test::FakeStacks made;
    made.profile.images[0].symbols = &odd;
    made.profile.images[0].name.name = "/bin/<a href='x'>";
    for (const ImageSymbol& symbol : odd.symbols())
        made.add(0, {std::string(symbol.name)}, 10);
    const std::string text = graph(made.finish());
    EXPECT_EQ(count_of(text, "<script"), 1U) << "its own";
    EXPECT_EQ(count_of(text, "]]>"), 2U) << "of its own style and script";
    EXPECT_EQ(count_of(text, "<title>&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;\n"), 1U);
    EXPECT_EQ(count_of(text, "<title>]]&gt;&amp;&quot;'??[31m?\ufffd\ufffd\ufffd\n"), 1U);
    EXPECT_EQ(count_of(text, "<title>" + long_name.substr(0, 1999) + "\u2026\n"), 1U);
    EXPECT_EQ(count_of(text, long_name.substr(0, 2001)), 0U);
    EXPECT_EQ(count_of(text, "<a "), 0U);
}

TEST(ExportFlamegraph, wants_one_event_and_stacks) {
    test::FakeStacks two(2);
    two.profile.columns[0].event = "A";
    two.profile.columns[1].event = "B";
    two.add(0, {"main"}, 1);
    try {
        graph(two.finish());
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(std::string(error.what()),
                  "--format=flamegraph has a place for one event: choose one with event: (recorded: A, B)");
    }
    Profile none;
    none.columns.resize(1);
    EXPECT_THROW(graph(none), Error);
}

TEST(ExportFlamegraph, of_no_samples_has_no_boxes) {
    test::FakeStacks made;
    made.profile.columns[0].event = "A";
    const std::string text = graph(made.finish());
    EXPECT_EQ(count_of(text, ">A: there are no samples<"), 1U);
    EXPECT_EQ(count_of(text, "<script"), 0U);
    EXPECT_EQ(count_of(text, "id=\"frames\""), 0U);
}

}  // namespace op::pp
