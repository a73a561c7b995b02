// SPDX-License-Identifier: GPL-2.0-or-later
// Sample files that are old, foreign or damaged, opened and parsed.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "libop/base/error.h"
#include "libop/session/sample_file_layout.h"
#include "tests/unit/sample_file_bytes.h"

namespace op {

using test::Bytes;
using test::Entries;
using test::FileSizeLimit;
using test::Folder;
using test::four_slots;
using test::four_slots_entries;
using test::header_0x12;
using test::header_0x13;
using test::header_start;
using test::parse;
using test::parse_silently;
using test::put_u32;
using test::some_header;

namespace {

/// The message of the input error that parsing throws.
std::string refusal(const std::string& bytes) {
    Diagnostics notes;
    try {
        parse(bytes, notes);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::input);
        return error.what();
    }
    return "none";
}

/// Expects that opening these bytes and adding one sample on 0x10 gives `wanted`, with one warning.
void expect_rebuilt(const std::string& bytes, const Entries& wanted, const std::string& warning) {
    Folder folder;
    folder.write(bytes);
    folder.open().add(0x10);
    EXPECT_EQ(folder.content().entries, wanted);
    ASSERT_EQ(folder.notes.warnings().size(), 1u);
    EXPECT_NE(folder.notes.warnings()[0].find(warning), std::string::npos) << folder.notes.warnings()[0];
    EXPECT_EQ(folder.count_files(), 1u);
}

}  // namespace

TEST(SampleFile, an_empty_file_counts_as_new) {
    Folder folder;
    folder.write("");
    folder.open().add(1);
    EXPECT_EQ(folder.content().entries, (Entries{{1, 1}}));
    EXPECT_EQ(folder.notes.warnings().size(), 0u);
}

TEST(SampleFile, a_leftover_of_an_interrupted_creation_is_no_obstacle) {
    Folder folder;
    std::ofstream(folder.path(".f.new")) << "left over";
    folder.open().add(1);
    EXPECT_EQ(folder.content().total, 1u);
    EXPECT_EQ(folder.count_files(), 1u);
}

TEST(SampleFile, rebuilds_version_0x12_and_i386_files) {
    expect_rebuilt(four_slots(header_0x12()), {{0x10, 6}, {0x11, 6}}, "version 0x12");
    Bytes i386 = header_start(0x13);
    i386.u64(0x4000000000000000).u64(7).u32(1).u64(8).u64(9);
    expect_rebuilt(four_slots(i386), {{0x10, 6}, {0x11, 6}}, "rebuilt");
}

TEST(SampleFile, rebuilds_a_file_cut_off_anywhere) {
    const std::string whole = four_slots(header_0x13());
    for (size_t length = 8; length < whole.size(); ++length) {
        Entries expected{{0x10, 1}};
        if (length >= 104 + 2 * 16) expected = {{0x10, 6}};
        if (length >= 104 + 3 * 16) expected = {{0x10, 6}, {0x11, 6}};
        expect_rebuilt(whole.substr(0, length), expected, "cut off");
    }
}

TEST(SampleFile, rebuilds_a_half_grown_file) {
    std::string bytes = header_0x13().u32(2).u32(2).zeros(24).zeros(16).u64(0x10).u32(5).u32(0).u32(1).u32(0);
    EXPECT_EQ(bytes.size(), sample_file_length(2));
    bytes.resize(sample_file_length(4));
    EXPECT_EQ(parse_silently(bytes).entries, (Entries{{0x10, 5}}));
    expect_rebuilt(bytes, {{0x10, 6}}, "half-grown");
}

TEST(SampleFile, rebuilds_chains_that_lead_astray) {
    const std::string whole = four_slots(header_0x13());
    const size_t node1 = 104 + 16, node2 = node1 + 16, table = 104 + 4 * 16;
    const std::pair<size_t, uint32_t> damages[] = {
        {node1 + 12, 1},     // a cycle of one
        {node1 + 12, 3},     // to an unused node
        {node1 + 12, 2},     // into another chain
        {node2 + 12, 1000},  // out of the file
        {table, 0},          // lost
        {table + 8, 1},      // on two chains
        {table + 4, UINT32_MAX},
    };
    for (const auto& [at, value] : damages) {
        std::string bytes = whole;
        put_u32(bytes, at, value);
        EXPECT_EQ(parse_silently(bytes).entries, four_slots_entries);
        expect_rebuilt(bytes, {{0x10, 6}, {0x11, 6}}, "hash table");
    }
}

TEST(SampleFile, rebuilds_from_a_wrong_size_field) {
    const std::string whole = four_slots(header_0x13());
    for (const uint32_t size : {0u, 1u, 2u, 3u, 8u, 1u << 31, UINT32_MAX}) {
        std::string bytes = whole;
        put_u32(bytes, 72, size);
        expect_rebuilt(bytes, {{0x10, 6}, {0x11, 6}}, "rebuilt");
    }
}

TEST(SampleFile, rebuilding_leaves_out_empty_entries_and_adds_up_equal_keys) {
    std::string bytes = four_slots(header_0x13());
    put_u32(bytes, 104 + 16 + 8, 0);
    expect_rebuilt(bytes, {{0x11, 6}, {0x10, 1}}, "1 of its entries is empty");
    bytes = header_0x13().u32(4).u32(4).zeros(24).zeros(16).u64(0x10).u32(5).u32(0).u64(0x10).u32(6).u32(0);
    bytes += Bytes().u64(0x10).u32(UINT32_MAX).u32(0).u32(1).zeros(12);
    expect_rebuilt(bytes, {{0x10, UINT32_MAX}}, "hash table");
}

TEST(SampleFile, a_rebuild_without_room_leaves_the_old_file) {
    Folder folder;
    const std::string bytes = four_slots(header_0x12());
    folder.write(bytes);
    const FileSizeLimit full(1000);
    EXPECT_THROW(folder.open(), Error);
    EXPECT_EQ(folder.bytes(), bytes);
    EXPECT_EQ(folder.count_files(), 1u);
}

TEST(SampleFile, sets_foreign_files_aside) {
    std::string swapped = four_slots(header_0x13());
    put_u32(swapped, 4, 0x13000000);
    std::string newer = four_slots(header_0x13());
    put_u32(newer, 4, 0x14);
    for (const std::string& bytes :
         {std::string("noise, nothing but noise"), std::string("D"), swapped, newer}) {
        Folder folder;
        folder.write(bytes);
        folder.open().add(1);
        EXPECT_EQ(folder.content().entries, (Entries{{1, 1}}));
        EXPECT_EQ(folder.bytes("f.damaged"), bytes);
        ASSERT_EQ(folder.notes.warnings().size(), 1u);
        EXPECT_NE(folder.notes.warnings()[0].find("f.damaged"), std::string::npos);
    }
}

TEST(SampleFile, sets_an_absurdly_long_file_aside) {
    Folder folder;
    folder.write(four_slots(header_0x13()));
    ASSERT_EQ(::truncate(folder.path("f").c_str(), off_t{1} << 40), 0);
    folder.open().add(1);
    EXPECT_EQ(folder.content().total, 1u);
    EXPECT_TRUE(folder.has("f.damaged"));
}

TEST(SampleFile, refuses_links_directories_and_pipes_in_its_place) {
    Folder folder;
    std::ofstream(folder.path("target")) << "precious";
    std::filesystem::create_symlink("target", folder.path("f"));
    EXPECT_THROW(folder.open(), Error);
    EXPECT_EQ(folder.bytes("target"), "precious");
    std::filesystem::remove(folder.path("f"));
    std::filesystem::create_directory(folder.path("f"));
    EXPECT_THROW(folder.open(), Error);
    std::filesystem::remove(folder.path("f"));
    ASSERT_EQ(::mkfifo(folder.path("f").c_str(), 0600), 0);
    EXPECT_THROW(folder.open(), Error);
}

TEST(ParseSampleFile, reads_both_versions_and_both_layouts) {
    for (const Bytes& header : {header_0x13(), header_0x12()}) {
        const SampleFileContent content = parse_silently(four_slots(header));
        EXPECT_EQ(content.header, some_header);
        EXPECT_EQ(content.entries, four_slots_entries);
        EXPECT_EQ(content.total, 11u);
    }
    Bytes new_i386 = header_start(0x13), old_i386 = header_start(0x12);
    new_i386.u64(0x4000000000000000).u64(0x0102030405060708).u32(1);
    new_i386.u64(0x7f0000001000).u64(0x7f0000002000);
    old_i386.u64(0x4000000000000000).u64(0x0102030405060708).u32(1).u32(0).u64(0xffffffff);
    old_i386.u64(0x7f0000001000).u64(0x7f0000002000).u32(0);
    for (const Bytes& header : {new_i386, old_i386}) {
        const SampleFileContent content = parse_silently(four_slots(header));
        EXPECT_EQ(content.header, some_header);
        EXPECT_EQ(content.entries, four_slots_entries);
    }
    EXPECT_EQ(parse_silently(four_slots(header_0x12())).version, 0x12u);
}

TEST(ParseSampleFile, key_0_is_a_key) {
    std::string bytes = four_slots(header_0x13());
    put_u32(bytes, 104 + 16, 0);
    EXPECT_EQ(parse_silently(bytes).entries, (Entries{{0, 5}, {0x11, 6}}));
}

TEST(ParseSampleFile, reports_what_is_no_sample_file) {
    const std::string whole = four_slots(header_0x13());
    std::string swapped = whole, newer = whole;
    put_u32(swapped, 4, 0x12000000);
    put_u32(newer, 4, 0x14);
    EXPECT_EQ(refusal(""), "F: not a sample file (it is empty)");
    EXPECT_EQ(refusal("\177ELF and more of it"), "F: not a sample file");
    EXPECT_EQ(refusal("DAE\n"), "F: not a sample file (cut off at byte 4)");
    EXPECT_EQ(refusal(swapped), "F: sample file of a machine with the other byte order");
    EXPECT_EQ(refusal(newer), "F: sample file of unknown version 0x14 (known: 0x12, 0x13)");
    EXPECT_EQ(refusal(whole.substr(0, 103)), "F: not a whole sample file: it is cut off within its header");
}

TEST(ParseSampleFile, warns_of_damage_and_gives_what_is_sound) {
    const std::string whole = four_slots(header_0x13());
    std::string too_many = whole;
    put_u32(too_many, 76, 1000);
    const std::pair<std::string, size_t> cases[] = {
        {whole.substr(0, 104), 0}, {whole.substr(0, 150), 1}, {whole + "x", 2}, {too_many, 2}};
    for (const auto& [bytes, entries] : cases) {
        Diagnostics notes;
        EXPECT_EQ(parse(bytes, notes).entries.size(), entries);
        EXPECT_EQ(notes.warnings().size(), 1u);
    }
}

TEST(ParseSampleFile, takes_any_current_size) {
    for (const uint32_t used : {0u, 1u, 2u, 4u, 5u, UINT32_MAX}) {
        std::string bytes = four_slots(header_0x13());
        put_u32(bytes, 76, used);
        Diagnostics notes;
        EXPECT_LE(parse(bytes, notes).entries.size(), 3u);
        EXPECT_EQ(notes.warnings().size(), used == 1 || used == 2 ? 0u : 1u) << used;
    }
}

}  // namespace op
