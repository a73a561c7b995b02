// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/unwind/unwind_table.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>

#include "daemon/unwind/frame_index.h"
#include "daemon/unwind/section_rules.h"
#include "libop/base/error.h"
#include "libop/base/gzip.h"
#include "tests/unit/cfi_bytes_builder.h"
#include "tests/unit/packing.h"
#include "tests/unit/temp_dir.h"

namespace op::collect {

namespace {

constexpr LinkAddress section_at{0x4000};

FrameSection section_of(test::CfiBuilder& builder) {
    return {FrameBytes(builder.bytes()), section_at};
}

uint64_t build(UnwindTable& table, test::CfiBuilder& builder, LinkAddress address) {
    const FdeList list = list_entries(section_of(builder), unwind_x86_64);
    FrameIndex index(list.entries, list.is_whole);
    CfiReader reader(section_of(builder), unwind_x86_64);
    return table.build_page(address, index, reader);
}

/// Pairs as linkers write them, relative to address 0.
std::vector<std::byte> pairs_of(const std::vector<FdePlace>& entries) {
    std::vector<int32_t> pairs;
    for (const FdePlace& entry : entries) {
        pairs.push_back(static_cast<int32_t>(entry.start.value()));
        pairs.push_back(static_cast<int32_t>(section_at.value() + entry.at));
    }
    std::vector<std::byte> bytes(pairs.size() * sizeof(int32_t));
    std::memcpy(bytes.data(), pairs.data(), bytes.size());
    return bytes;
}

/// Functions of 0x10 bytes from 0x10000 on, with frames of 8 bytes, 16, 24 ...
void add_functions(test::CfiBuilder& builder, int count) {
    const size_t cie = builder.cie();
    for (int i = 0; i < count; ++i)
        builder.fde(cie, 0x10000 + static_cast<uint64_t>(i) * 0x10, 0x10, {0x0e, 8 + i % 10 * 8});
}

}  // namespace

TEST(UnwindTable, a_page_costs_a_bounded_number_of_instructions) {
    test::CfiBuilder builder;
    const size_t cie = builder.cie(std::vector<int>(4000, 0));  // nops
    for (uint64_t i = 0; i < 1000; ++i)
        builder.fde(cie, 0x10000 + i * 0x10, 0x10, {});
    UnwindTable table;
    EXPECT_EQ(build(table, builder, {0x10000}), CfiReader::most_work);
    EXPECT_EQ(table.find({0x10000}).cfa, CfaFrom::sp);
    EXPECT_EQ(table.find({0x10000 + 999 * 0x10}).cfa, CfaFrom::unsupported);
    EXPECT_EQ(table.find({0x1ffff}).cfa, CfaFrom::unsupported) << "it may have rules";
}

TEST(UnwindTable, a_page_has_the_rules_of_functions_that_begin_before_it_or_end_behind_it) {
    test::CfiBuilder builder;
    const size_t cie = builder.cie();
    builder.fde(cie, 0xf000, 0x2000, {0x04, 0x00, 0x18, 0x00, 0x00, 0x0e, 16});  // from 0x10800 on
    builder.fde(cie, 0x1f000, 0x2000, {0x0e, 24, 0x04, 0x00, 0x18, 0x00, 0x00, 0x0e, 32});
    UnwindTable table;
    build(table, builder, {0x10000});
    EXPECT_EQ(table.find({0x10000}).cfa_offset, 8);
    EXPECT_EQ(table.find({0x10fff}).cfa_offset, 16);
    EXPECT_EQ(table.find({0x11000}).cfa, CfaFrom::no_info);
    EXPECT_EQ(table.find({0x1ffff}).cfa_offset, 24);
    build(table, builder, {0x20000});
    EXPECT_EQ(table.find({0x20000}).cfa_offset, 24);
    EXPECT_EQ(table.find({0x20800}).cfa_offset, 32);
}

TEST(UnwindTable, has_little_more_room_for_rules_than_it_needs) {
    constexpr uint64_t functions = 300;
    test::CfiBuilder builder;
    const size_t cie = builder.cie();
    for (uint64_t i = 0; i < functions; ++i)
        builder.fde(cie, 0x10000 + i * 0x10, 0x10,
                    {0x0e, static_cast<int>(i % 128 + 128), static_cast<int>(1 + i / 128)});
    UnwindTable table;
    build(table, builder, {0x10000});
    EXPECT_GE(table.rows(), functions);
    const uint64_t rows = table.rows() * 4, rules = functions * sizeof(UnwindRule), slots = functions * 8;
    EXPECT_LE(table.memory(), rows + rules * 5 / 4 + slots + 64);
}

TEST(UnwindTable, code_in_no_entry_of_a_list_that_is_not_whole_is_unsupported) {
    test::CfiBuilder builder;
    add_functions(builder, 2);
    const FdeList list = list_entries(section_of(builder), unwind_x86_64);
    FrameIndex index(list.entries, false);
    CfiReader reader(section_of(builder), unwind_x86_64);
    UnwindTable table;
    table.build_page({0x10000}, index, reader);
    EXPECT_EQ(table.find({0x10010}).cfa_offset, 16);
    EXPECT_EQ(table.find({0x10020}).cfa, CfaFrom::unsupported);
    EXPECT_EQ(list_entries(section_of(builder), unwind_x86_64).is_whole, true);
}

TEST(FrameIndex, a_linkers_table_leads_to_the_same_entries_as_a_list) {
    test::CfiBuilder builder;
    add_functions(builder, 1000);
    const FdeList list = list_entries(section_of(builder), unwind_x86_64);
    const auto pairs = pairs_of(list.entries);
    FrameIndex by_list(list.entries), by_table({0, 1000, {0}}, FrameBytes(pairs), section_at);
    ASSERT_EQ(by_table.size(), by_list.size());
    for (const uint64_t address : {0x0ul, 0x10000ul, 0x1000ful, 0x12345ul, 0x20000ul, 0xffffffffffful}) {
        const uint64_t i = by_list.find({address});
        EXPECT_EQ(by_table.find({address}), i) << address;
        EXPECT_EQ(by_table.at(i).at, by_list.at(i).at);
    }
    EXPECT_EQ(by_list.find({0x10000 + 999 * 0x10 + 5}), 999u);
}

TEST(FrameIndex, a_linkers_table_that_lies_gives_no_rules) {
    test::CfiBuilder builder;
    add_functions(builder, 10);
    FdeList list = list_entries(section_of(builder), unwind_x86_64);
    std::swap(list.entries[2].at, list.entries[3].at);  // entries about other code
    list.entries[4].at = uint64_t{1} << 30;             // outside the section
    list.entries[5].at = 0;                             // a common part
    const auto pairs = pairs_of(list.entries);
    FrameIndex index({0, 10, {0}}, FrameBytes(pairs), section_at);
    CfiReader reader(section_of(builder), unwind_x86_64);
    UnwindTable table;
    table.build_page({0x10000}, index, reader);
    EXPECT_EQ(table.find({0x10010}).cfa_offset, 16);
    EXPECT_EQ(table.find({0x10060}).cfa_offset, 56);
    FrameIndex cut({0, 11, {0}}, FrameBytes(pairs), section_at);
    EXPECT_THROW(cut.at(10), Error);
}

TEST(SectionRules, are_read_from_the_file_page_by_page) {
    test::CfiBuilder builder;
    add_functions(builder, 5000);
    const auto entries = list_entries(section_of(builder), unwind_x86_64).entries;
    const auto pairs = pairs_of(entries);
    const test::TempDir dir;
    const auto text = [](const std::vector<std::byte>& bytes) {
        return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    };
    const Fd file = open_regular(dir.write("file", text(builder.bytes()) + text(pairs)));
    const FrameSectionPlace listed{0, builder.bytes().size(), section_at};
    FrameSectionPlace searched = listed;
    searched.search = {builder.bytes().size(), entries.size(), {0}};
    SectionRules by_list(listed, unwind_x86_64), by_table(searched, unwind_x86_64);
    by_list.build_page(file, {0x10000});
    EXPECT_LE(by_table.build_page(file, {0x10000}), CfiReader::most_work);
    EXPECT_TRUE(by_table.has_page({0x10000}));
    for (uint64_t i = 0; i < 0x1000; ++i)
        ASSERT_EQ(by_table.find({0x10000 + i * 0x10}), by_list.find({0x10000 + i * 0x10})) << i;
    EXPECT_EQ(by_table.memory(), by_table.page_memory()) << "no list of entries is kept";
    EXPECT_EQ(by_list.memory(), by_list.page_memory() + entries.size() * sizeof(FdePlace));
    by_list.forget();
    EXPECT_FALSE(by_list.has_page({0x10000}));
    EXPECT_LT(by_list.memory(), 100u);
}

TEST(SectionRules, are_of_sections_that_zlib_or_zstd_compressed) {
    const test::TempDir dir;
    test::CfiBuilder builder;
    add_functions(builder, 100);
    const auto bytes = builder.bytes();
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    constexpr uint32_t zlib = 1, zstd = 2, unknown = 3;
    const auto rule_of = [&](uint32_t kind, const std::string& packed) {
        const Elf64_Chdr head{kind, 0, text.size(), 8};
        const std::string part = std::string(reinterpret_cast<const char*>(&head), sizeof head) + packed;
        const Fd file = open_regular(dir.write("section", "before" + part));
        SectionRules rules({6, part.size(), section_at, false, true}, unwind_x86_64);
        rules.build_page(file, {0x10000});
        return rules.find({0x10025});
    };
    const UnwindRule expected = rule_of(zlib, gzip(text));
    EXPECT_EQ(expected.cfa_offset, 24);
    const std::string packed = test::zstd(text);
    EXPECT_EQ(rule_of(zstd, packed), expected);
    EXPECT_EQ(rule_of(zstd, packed.substr(0, packed.size() / 2)).cfa, CfaFrom::no_info) << "cut off";
    EXPECT_EQ(rule_of(unknown, packed).cfa, CfaFrom::no_info);
}

TEST(SectionRules, find_where_any_register_is_kept) {
    constexpr uint8_t rbx = 3, r12 = 12;
    test::CfiBuilder builder;
    // +1: CFA = rsp + 16, rbx at CFA - 16; +4: CFA = rbx + 24
    builder.fde(builder.cie(), 0x1000, 0x100, {0x41, 0x0e, 16, 0x80 + rbx, 2, 0x43, 0x0c, rbx, 24});
    const test::TempDir dir;
    const auto& bytes = builder.bytes();
    const Fd file =
        open_regular(dir.write("file", {reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
    SectionRules rules({0, bytes.size(), section_at}, unwind_x86_64);
    uint64_t work = 0;
    const auto find = [&](uint64_t at, uint8_t number) {
        return rules.find_register(file, {at}, number, work);
    };
    EXPECT_EQ(find(0x1000, rbx).fp, SavedAt::same);
    EXPECT_GT(work, 0u);
    for (const uint64_t at : {0x1001, 0x1004, 0x10ff}) {
        const UnwindRule rule = find(at, rbx);
        EXPECT_EQ(rule.fp, SavedAt::cfa) << at;
        EXPECT_EQ(rule.fp_offset, -16) << at;
    }
    const UnwindRule other = find(0x1004, r12);
    EXPECT_EQ(other.fp, SavedAt::same);
    EXPECT_EQ(other.cfa, CfaFrom::other) << "known, for whoever asks for r12 alone";
    EXPECT_EQ(find(0xfff, rbx).cfa, CfaFrom::no_info);
    EXPECT_EQ(find(0x1100, rbx).cfa, CfaFrom::no_info);
}

TEST(SectionRules, of_a_section_that_is_too_large_to_be_listed_are_unsupported) {
    const test::TempDir dir;
    const Fd file = open_regular(dir.write("file", "short"));
    const FrameSectionPlace place{0, largest_listed_section + 1, section_at};
    SectionRules rules(place, unwind_x86_64);
    rules.build_page(file, {0x10000});
    EXPECT_EQ(rules.find({0x10000}).cfa, CfaFrom::unsupported);
}

}  // namespace op::collect
