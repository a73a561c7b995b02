// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/stacks/stack_reader.h"

#include <gtest/gtest.h>

#include "tests/unit/faults.h"
#include "tests/unit/sample_file_bytes.h"
#include "tests/unit/stored_stacks.h"

namespace op {

using test::contains;
using test::fault;
using test::file_image;
using test::put_u32;
using test::some_class;
using test::stack_file;
using test::StacksFolder;
using test::StackTexts;
using test::sum_of;

namespace {

const std::string class_name = "CYCLES.100000.1.all.all.all";

using Nodes = std::vector<StackNodeEntry>;

std::string frames_file(const std::vector<uint64_t>& frames) {
    return stack_file(StackFileKind::frames, frames);
}

std::string nodes_file(const Nodes& nodes) {
    std::vector<uint64_t> entries;
    for (const StackNodeEntry& node : nodes)
        entries.push_back(stack_node_entry(node));
    return stack_file(StackFileKind::nodes, entries);
}

uint64_t key(const StackFrame& frame) {
    return frame_key(frame);
}

/// Frames 1: application /a, 2 and 3: code, 4: a cut.
StacksFolder& with_frames(StacksFolder& folder) {
    folder.write("images", "{root}/a\n");
    folder.write("frames", frames_file({key(StackFrame::application(1)), key({1, 2, false}),
                                        key({1, 3, false}), key(StackFrame::cut_for(StackEnd::no_info))}));
    return folder;
}

StackTexts stacks_of(const Nodes& nodes, StacksFolder& folder) {
    with_frames(folder).write(class_name, nodes_file(nodes));
    return folder.stacks();
}

}  // namespace

TEST(StackSetReader, a_session_without_stacks_has_none) {
    StacksFolder folder;
    const Fd dir = folder.open();
    EXPECT_FALSE(StackSetReader::open(dir, "S", folder.notes));
}

TEST(StackSetReader, lists_the_classes_and_passes_other_files_over) {
    StacksFolder folder;
    with_frames(folder);
    for (const char* name : {"A.1.0.1.2.3", "A.1.0.all.all.all", "A.1.0.all.all.all.damaged",
                             ".A.1.0.all.all.all.new", "A.1.0.all.all", "A.x.0.all.all.all"})
        folder.write(name, nodes_file({}));
    std::filesystem::create_directory(folder.path("B.1.0.all.all.all"));
    const Fd dir = folder.open();
    const auto reader = StackSetReader::open(dir, "S", folder.notes);
    ASSERT_TRUE(reader);
    EXPECT_EQ(reader->classes(), (std::vector<SampleClass>{{"A", 1, 0, {}, {}, {}}, {"A", 1, 0, 1, 2, 3}}));
    EXPECT_EQ(folder.notes.warnings(), std::vector<std::string>());
}

TEST(StackSetReader, leaves_out_nodes_that_cannot_be_and_counts_their_samples) {
    const Nodes sound{{0, 1, 1}, {1, 2, 2}, {2, 3, 4}, {1, 4, 8}};
    const StackTexts expected{{"/a", 1}, {"/a;/a+2", 2}, {"/a;/a+2;/a+3", 4}, {"/a;[no_info]", 8}};
    StacksFolder whole;
    EXPECT_EQ(stacks_of(sound, whole), expected);
    EXPECT_EQ(whole.notes.warnings(), std::vector<std::string>());
    for (const StackNodeEntry& bad : Nodes{
             {5, 2, 16},                   // its own parent
             {6, 2, 16},                   // the parent behind it
             {most_stack_entries, 2, 16},  //
             {1, 5, 16},                   // no such frame
             {1, most_stack_entries, 16},  //
             {0, 0, 16},                   //
             {5, 0, 16},                   // further samples of itself
             {0, 2, 16},                   // code without application
             {0, 4, 16},                   // a cut without application
             {1, 1, 16},                   // an application below another one
             {2, 4, 16},                   // a cut below code
         }) {
        Nodes nodes = sound;
        nodes.insert(nodes.end(), {bad, {5, 3, 32}, {1, 3, 64}});  // with a child
        StacksFolder folder;
        StackTexts with_last = expected;
        with_last["/a;/a+3"] = 64;
        EXPECT_EQ(stacks_of(nodes, folder), with_last) << bad.parent << " " << bad.frame;
        ASSERT_EQ(folder.notes.warnings().size(), 1u);
        EXPECT_TRUE(contains(folder.notes.warnings()[0], "48 samples with damaged stacks are left out"))
            << folder.notes.warnings()[0];
    }
}

TEST(StackSetReader, adds_further_samples_to_their_node) {
    StacksFolder folder;
    const Nodes nodes{{0, 1, 1},  {1, 2, most_node_samples},
                      {2, 3, 2},  {2, 0, most_node_samples},
                      {1, 0, 16}, {2, 0, 3},
                      {4, 3, 5},  {4, 0, 7}};
    EXPECT_EQ(
        stacks_of(nodes, folder),
        (StackTexts{{"/a", 17}, {"/a;/a+2", 2 * uint64_t{most_node_samples} + 3}, {"/a;/a+2;/a+3", 2}}));
    ASSERT_EQ(folder.notes.warnings().size(), 1u);
    EXPECT_TRUE(contains(folder.notes.warnings()[0], ": 12 samples with damaged stacks are left out"))
        << "nothing is below such an entry";
}

TEST(StackSetReader, ends_a_stack_that_is_too_deep) {
    Nodes nodes{{0, 1, 1}};
    for (uint32_t i = 1; i < deepest_stack + 1000; ++i)
        nodes.push_back({i, 2, 1});
    StacksFolder folder;
    EXPECT_EQ(stacks_of(nodes, folder).size(), deepest_stack);
    EXPECT_EQ(folder.notes.warnings().size(), 1u);
}

TEST(StackSetReader, an_image_that_has_no_line_is_not_known) {
    StacksFolder folder;
    folder.write("images", "{root}/a\nno image\n{root}/b");
    folder.write("frames", frames_file({key(StackFrame::application(1)), key({2, 2, false}),
                                        key({3, 3, false}), key({StackFrame::most_images, 4, false})}));
    folder.write(class_name, nodes_file({{0, 1, 0}, {1, 2, 1}, {1, 3, 2}, {1, 4, 4}}));
    EXPECT_EQ(folder.stacks(), (StackTexts{{"/a;+2", 1}, {"/a;+3", 2}, {"/a;+4", 4}}));
}

TEST(StackSetReader, a_reason_of_a_newer_version_is_unknown) {
    StacksFolder folder;
    folder.write("images", "{root}/a\n");
    folder.write("frames", frames_file({key(StackFrame::application(1)), key({0, 200, false})}));
    folder.write(class_name, nodes_file({{0, 1, 0}, {1, 2, 1}}));
    EXPECT_EQ(folder.stacks(), (StackTexts{{"/a;[unknown]", 1}}));
}

TEST(StackSetReader, finds_frames_that_were_added_since_it_was_opened) {
    StacksFolder folder;
    StackSet set = folder.set();
    const Fd dir = folder.open();
    const uint32_t app = set.image(file_image("/a"));
    set.add(some_class, app, {}, StackEnd::root, 1);
    auto reader = StackSetReader::open(dir, "S", folder.notes);
    ASSERT_TRUE(reader);
    const uint32_t lib = set.image(file_image("/lib"));
    set.add(some_class, app, std::vector<StackFrame>{{lib, 1, true}}, StackEnd::root, 1);
    const StoredTree tree = reader->read(some_class, folder.notes);
    ASSERT_EQ(tree.nodes.size(), 3u);
    EXPECT_EQ(tree.damaged, 0u);
    EXPECT_EQ(reader->images()[reader->frames()[tree.nodes[2].frame].image], file_image("/lib"));
    EXPECT_EQ(folder.notes.warnings(), std::vector<std::string>());
}

TEST(StackSetReader, a_file_of_another_kind_or_machine_is_an_error_that_names_it) {
    StacksFolder folder;
    with_frames(folder);
    const Fd dir = folder.open();
    auto reader = StackSetReader::open(dir, "S", folder.notes);
    const std::string nodes = nodes_file({}), frames = folder.bytes("frames");
    std::string swapped = nodes, newer = nodes;
    std::swap(swapped[4], swapped[7]);
    newer[4] = 2;
    for (const auto& [bytes, message] : std::map<std::string, std::string>{
             {swapped, "call stacks of a machine with the other byte order"},
             {newer, "call stacks of unknown version 2 (known: 1)"},
             {frames, "not a file of nodes of call stacks"},
             {std::string(test::header_0x13()), "not a file of call stacks"},
             {nodes.substr(0, 15), "not a file of call stacks (it is cut off)"},
             {nodes + std::string(stack_file_limit, 'x'), "longer than 33558528 bytes"},
         }) {
        folder.write(class_name, bytes);
        EXPECT_EQ(fault(ErrorKind::input, [&] { reader->read(some_class, folder.notes); }),
                  "S/stacks/" + class_name + ": " + message);
    }
    folder.write("frames", nodes);
    EXPECT_EQ(fault(ErrorKind::input, [&] { StackSetReader::open(dir, "S", folder.notes); }),
              "S/stacks/frames: not a file of frames of call stacks");
}

TEST(StackSetReader, uses_the_entries_that_are_there) {
    const std::string whole = nodes_file({{0, 1, 1}, {1, 2, 2}, {2, 3, 4}});
    const auto read = [](const std::string& bytes) {
        StacksFolder folder;
        with_frames(folder).write(class_name, bytes);
        const uint64_t sum = sum_of(folder.stacks());
        return std::pair(sum, folder.notes.warnings().size());
    };
    std::string fewer = whole, more = whole, most = whole;
    put_u32(fewer, 12, 2);
    put_u32(more, 12, 4);
    put_u32(most, 12, UINT32_MAX);
    EXPECT_EQ(read(whole + std::string(100, 'x')), std::pair(uint64_t{7}, size_t{0}));
    EXPECT_EQ(read(fewer), std::pair(uint64_t{3}, size_t{0}));
    EXPECT_EQ(read(more), std::pair(uint64_t{7}, size_t{1}));
    EXPECT_EQ(read(most), std::pair(uint64_t{7}, size_t{1}));
    EXPECT_EQ(read(whole.substr(0, whole.size() - 1)), std::pair(uint64_t{3}, size_t{1}));
    EXPECT_EQ(read(""), std::pair(uint64_t{0}, size_t{0}));
}

}  // namespace op
