// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/stacks/stack_reader.h"

#include <gtest/gtest.h>

#include "libop/session/sample_file_layout.h"
#include "tests/unit/faults.h"
#include "tests/unit/sample_file_bytes.h"
#include "tests/unit/stored_stacks.h"

namespace op {

using test::Bytes;
using test::contains;
using test::fault;
using test::file_image;
using test::header_0x13;
using test::some_class;
using test::StacksFolder;
using test::StackTexts;

namespace {

const std::string class_name = "CYCLES.100000.1.all.all.all";

/// A file with these slots, without its hash table.
std::string file_of(const std::vector<SampleEntry>& slots) {
    uint32_t size = first_sample_slots;
    while (size <= slots.size())
        size *= 2;
    Bytes bytes = header_0x13();
    bytes.u32(size).u32(slots.size() + 1).zeros(24).zeros(16);
    for (const SampleEntry& slot : slots)
        bytes.u64(slot.key).u32(slot.count).u32(0);
    const size_t rest = sample_file_length(size) - std::string(bytes).size();
    return bytes.zeros(rest);
}

uint64_t key(const StackFrame& frame) {
    return frame_key(frame);
}

/// Frames 1: application /a, 2 and 3: code, 4: a cut.
StacksFolder& with_frames(StacksFolder& folder) {
    folder.write("images", "{root}/a\n");
    folder.write("frames", file_of({{key(StackFrame::application(1)), 0},
                                    {key({1, 2, false}), 0},
                                    {key({1, 3, false}), 0},
                                    {key(StackFrame::cut_for(StackEnd::no_info)), 0}}));
    return folder;
}

StackTexts stacks_of(const std::vector<SampleEntry>& nodes, StacksFolder& folder) {
    with_frames(folder).write(class_name, file_of(nodes));
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
        folder.write(name, file_of({}));
    std::filesystem::create_directory(folder.path("B.1.0.all.all.all"));
    const Fd dir = folder.open();
    const auto reader = StackSetReader::open(dir, "S", folder.notes);
    ASSERT_TRUE(reader);
    EXPECT_EQ(reader->classes(), (std::vector<SampleClass>{{"A", 1, 0, {}, {}, {}}, {"A", 1, 0, 1, 2, 3}}));
    EXPECT_EQ(folder.notes.warnings(), std::vector<std::string>());
}

TEST(StackSetReader, leaves_out_nodes_that_cannot_be_and_counts_their_samples) {
    const std::vector<SampleEntry> sound{{stack_node_key(0, 1), 1},
                                         {stack_node_key(1, 2), 2},
                                         {stack_node_key(2, 3), 4},
                                         {stack_node_key(1, 4), 8}};
    const StackTexts expected{{"/a", 1}, {"/a;/a+2", 2}, {"/a;/a+2;/a+3", 4}, {"/a;[no_info]", 8}};
    StacksFolder whole;
    EXPECT_EQ(stacks_of(sound, whole), expected);
    EXPECT_EQ(whole.notes.warnings(), std::vector<std::string>());
    for (const uint64_t bad : {
             stack_node_key(5, 2),           // its own parent
             stack_node_key(6, 2),           // the parent behind it
             stack_node_key(UINT32_MAX, 2),  //
             stack_node_key(1, 5),           // no such frame
             stack_node_key(1, UINT32_MAX),  //
             stack_node_key(1, 0),           //
             stack_node_key(0, 2),           // code without application
             stack_node_key(0, 4),           // a cut without application
             stack_node_key(1, 1),           // an application below another one
             stack_node_key(2, 4),           // a cut below code
         }) {
        std::vector<SampleEntry> nodes = sound;
        nodes.push_back({bad, 16});
        nodes.push_back({stack_node_key(5, 3), 32});  // its child
        nodes.push_back({stack_node_key(1, 3), 64});
        StacksFolder folder;
        StackTexts with_last = expected;
        with_last["/a;/a+3"] = 64;
        EXPECT_EQ(stacks_of(nodes, folder), with_last) << bad;
        ASSERT_EQ(folder.notes.warnings().size(), 1u);
        EXPECT_TRUE(contains(folder.notes.warnings()[0], "48 samples with damaged stacks are left out"))
            << folder.notes.warnings()[0];
    }
}

TEST(StackSetReader, ends_a_stack_that_is_too_deep) {
    std::vector<SampleEntry> nodes{{stack_node_key(0, 1), 1}};
    for (uint32_t i = 1; i < 3000; ++i)
        nodes.push_back({stack_node_key(i, 2), 1});
    StacksFolder folder;
    EXPECT_EQ(stacks_of(nodes, folder).size(), deepest_stack);
    EXPECT_EQ(folder.notes.warnings().size(), 1u);
}

TEST(StackSetReader, an_image_that_has_no_line_is_not_known) {
    StacksFolder folder;
    folder.write("images", "{root}/a\nno image\n{root}/b");
    folder.write("frames", file_of({{key(StackFrame::application(1)), 0},
                                    {key({2, 2, false}), 0},
                                    {key({3, 3, false}), 0},
                                    {key({StackFrame::most_images, 4, false}), 0}}));
    folder.write(class_name, file_of({{stack_node_key(0, 1), 0},
                                      {stack_node_key(1, 2), 1},
                                      {stack_node_key(1, 3), 2},
                                      {stack_node_key(1, 4), 4}}));
    EXPECT_EQ(folder.stacks(), (StackTexts{{"/a;+2", 1}, {"/a;+3", 2}, {"/a;+4", 4}}));
}

TEST(StackSetReader, a_reason_of_a_newer_version_is_unknown) {
    StacksFolder folder;
    folder.write("images", "{root}/a\n");
    folder.write("frames", file_of({{key(StackFrame::application(1)), 0}, {key({0, 200, false}), 0}}));
    folder.write(class_name, file_of({{stack_node_key(0, 1), 0}, {stack_node_key(1, 2), 1}}));
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

TEST(StackSetReader, files_of_another_byte_order_are_an_error_that_names_it) {
    StacksFolder folder;
    with_frames(folder);
    std::string bytes = file_of({});
    std::swap(bytes[4], bytes[7]);
    folder.write(class_name, bytes);
    const Fd dir = folder.open();
    auto reader = StackSetReader::open(dir, "S", folder.notes);
    EXPECT_TRUE(contains(fault(ErrorKind::input, [&] { reader->read(some_class, folder.notes); }),
                         "S/stacks/" + class_name + ": sample file of a machine with the other byte order"));
    folder.write("frames", bytes);
    EXPECT_TRUE(contains(fault(ErrorKind::input, [&] { StackSetReader::open(dir, "S", folder.notes); }),
                         "S/stacks/frames"));
}

}  // namespace op
