// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/unwind/cfi_reader.h"

#include <gtest/gtest.h>

#include "daemon/unwind/frame_index.h"
#include "tests/unit/cfi_bytes_builder.h"

namespace op::collect {

namespace {

using test::CfiBuilder;

constexpr LinkAddress everywhere{UINT64_MAX};

struct Section {
    CfiBuilder builder;
    std::vector<FdePlace> entries() { return list_entries(section(), unwind_x86_64).entries; }
    std::vector<UnwindRow> rows(size_t entry = 0) {
        std::vector<UnwindRow> rows;
        reader().append_rows(entries().at(entry), everywhere, rows);
        return rows;
    }
    FrameSection section() { return {FrameBytes(builder.bytes()), {0x4000}}; }
    CfiReader reader() { return {section(), unwind_x86_64}; }
};

/// The rows of a function at 0x1000 of 0x100 bytes with these instructions.
std::vector<UnwindRow> rows_of(std::initializer_list<int> instructions) {
    Section section;
    section.builder.fde(section.builder.cie(), 0x1000, 0x100, instructions);
    return section.rows();
}

UnwindRule sp_rule(int32_t offset) {
    return {.cfa = CfaFrom::sp, .ra = SavedAt::cfa, .cfa_offset = offset, .ra_offset = -8};
}

}  // namespace

TEST(CfiReader, gives_the_rows_of_a_function_that_pushes_its_frame_pointer) {
    // +1: CFA = rsp + 16, rbp at CFA - 16; +4: CFA = rbp + 16; at 0x80: CFA = rsp + 8
    const auto rows = rows_of({0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x02, 0x7c, 0x0c, 7, 8, 0xc0 + 6});
    ASSERT_EQ(rows.size(), 4u);
    EXPECT_EQ(rows[0].start, LinkAddress{0x1000});
    EXPECT_EQ(rows[0].rule, sp_rule(8));
    EXPECT_EQ(rows[1].start, LinkAddress{0x1001});
    UnwindRule saved = sp_rule(16);
    saved.fp = SavedAt::cfa;
    saved.fp_offset = -16;
    EXPECT_EQ(rows[1].rule, saved);
    EXPECT_EQ(rows[2].start, LinkAddress{0x1004});
    saved.cfa = CfaFrom::fp;
    EXPECT_EQ(rows[2].rule, saved);
    EXPECT_EQ(rows[3].start, LinkAddress{0x1080});
    EXPECT_EQ(rows[3].rule, sp_rule(8));
}

TEST(CfiReader, restores_remembered_rules_with_the_frame_address) {
    const auto rows = rows_of({0x41, 0x0e, 32, 0x0a, 0x41, 0x0e, 8, 0x41, 0x0b});
    ASSERT_EQ(rows.size(), 4u);
    EXPECT_EQ(rows[1].rule, sp_rule(32));
    EXPECT_EQ(rows[2].rule, sp_rule(8));
    EXPECT_EQ(rows[3].rule, sp_rule(32));
}

TEST(CfiReader, a_later_row_of_an_address_counts_and_equal_rows_are_one) {
    const auto rows = rows_of({0x0e, 24, 0x40, 0x0e, 16, 0x48, 0x0e, 16});
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].rule, sp_rule(16));
}

TEST(CfiReader, knows_the_expressions_that_occur) {
    // The frame address of a procedure linkage table, in both variants.
    for (const int threshold : {0x3b, 0x3a}) {
        const auto rows =
            rows_of({0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, threshold, 0x2a, 0x33, 0x24, 0x22});
        ASSERT_EQ(rows.size(), 1u);
        EXPECT_EQ(rows[0].rule.cfa, CfaFrom::plt);
        EXPECT_EQ(rows[0].rule.cfa_offset, threshold - 0x30);
    }
    // [rbp - 8], [rsp + 4] + 16
    auto rows = rows_of({0x0f, 3, 0x76, 0x78, 0x06});
    EXPECT_EQ(rows.at(0).rule.cfa, CfaFrom::fp_memory);
    EXPECT_EQ(rows.at(0).rule.cfa_offset, -8);
    rows = rows_of({0x0f, 5, 0x77, 4, 0x06, 0x23, 16});
    EXPECT_EQ(rows.at(0).rule.cfa, CfaFrom::sp_memory);
    EXPECT_EQ(rows.at(0).rule.cfa_addend, 16);
    // Return address and frame pointer where signal frames keep them.
    rows = rows_of({0x10, 16, 3, 0x77, 0xa8, 0x01, 0x10, 6, 3, 0x77, 0xf8, 0x00});
    EXPECT_EQ(rows.at(0).rule.ra, SavedAt::sp);
    EXPECT_EQ(rows.at(0).rule.ra_offset, 168);
    EXPECT_EQ(rows.at(0).rule.fp, SavedAt::sp);
    EXPECT_EQ(rows.at(0).rule.fp_offset, 120);
    // The frame pointer where functions that realign the stack keep it.
    rows = rows_of({0x0f, 3, 0x76, 0x78, 0x06, 0x10, 6, 2, 0x76, 0x00});
    EXPECT_EQ(rows.at(0).rule.cfa, CfaFrom::fp_memory);
    EXPECT_EQ(rows.at(0).rule.fp, SavedAt::fp);
    EXPECT_EQ(rows.at(0).rule.fp_offset, 0);
    // Anything else is not supported.
    rows = rows_of({0x0f, 2, 0x30, 0x31});
    EXPECT_EQ(rows.at(0).rule.cfa, CfaFrom::unsupported);
}

TEST(CfiReader, an_entry_with_very_many_instructions_is_given_up) {
    std::vector<int> instructions;
    for (uint64_t i = 0; i < CfiReader::most_work / 3 + 10; ++i)
        instructions.insert(instructions.end(), {0x0e, 8 + static_cast<int>(i % 2) * 8, 0x41});
    Section section;
    section.builder.fde(section.builder.cie(), 0x1000, uint64_t{1} << 32, instructions);
    const auto rows = section.rows();
    EXPECT_LE(rows.size(), CfiReader::most_work / 3 + 1);
    EXPECT_EQ(rows.back().rule.cfa, CfaFrom::unsupported);
}

TEST(CfiReader, instructions_of_the_common_part_count_for_each_entry) {
    Section section;
    const size_t cie = section.builder.cie(std::vector<int>(4000, 0));  // nops
    for (uint64_t i = 0; i < 300; ++i)
        section.builder.fde(cie, 0x1000 + i * 0x100, 0x100, {});
    CfiReader cfi = section.reader();
    std::vector<UnwindRow> rows;
    for (const FdePlace& entry : section.entries())
        cfi.append_rows(entry, everywhere, rows);
    EXPECT_TRUE(cfi.is_spent());
    EXPECT_EQ(cfi.work(), CfiReader::most_work);
    ASSERT_EQ(rows.size(), 300u);
    EXPECT_EQ(rows.front().rule, sp_rule(8));
    EXPECT_EQ(rows.back().rule.cfa, CfaFrom::unsupported);
}

TEST(CfiReader, nothing_is_executed_beyond_the_function) {
    // What follows the step out of it is damaged, which is no fault of the rows before.
    const auto rows = rows_of({0x44, 0x0e, 16, 0x03, 0x00, 0x01, 0x3e});
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(rows[1].rule, sp_rule(16));
}

TEST(CfiReader, an_undefined_return_address_ends_the_stack) {
    const auto rows = rows_of({0x07, 16});
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].rule.ra, SavedAt::undefined);
}

TEST(CfiReader, rules_by_other_registers_name_them) {
    auto rows = rows_of({0x0c, 10, 0});  // CFA = r10
    EXPECT_EQ(rows.at(0).rule.cfa, CfaFrom::other);
    EXPECT_EQ(rows.at(0).rule.cfa_addend, 10);
    rows = rows_of({0x09, 16, 5});  // the return address is in rdi
    EXPECT_EQ(rows.at(0).rule.ra, SavedAt::other);
    EXPECT_EQ(rows.at(0).rule.ra_offset, 5);
}

TEST(CfiReader, marks_signal_frames) {
    Section section;
    section.builder.fde(section.builder.cie({}, "SR"), 0x1000, 0x10, {});
    EXPECT_TRUE(section.rows().at(0).rule.is_signal_frame);
}

TEST(CfiReader, instructions_that_are_damaged_leave_the_rest_unsupported) {
    // An unknown instruction; an offset without its number; a state that was never remembered; a step back.
    const auto rows = rows_of({0x44, 0x0e, 16, 0x44, 0x3e});
    ASSERT_EQ(rows.size(), 3u);
    EXPECT_EQ(rows[1].rule, sp_rule(16));
    EXPECT_EQ(rows[2].start, LinkAddress{0x1008});
    EXPECT_EQ(rows[2].rule.cfa, CfaFrom::unsupported);
    EXPECT_EQ(rows_of({0x0b}).at(0).rule.cfa, CfaFrom::unsupported);
    EXPECT_EQ(rows_of({0x01, 0, 0, 0, 0, 0, 0, 0, 0}).at(0).rule.cfa, CfaFrom::unsupported);
    EXPECT_EQ(rows_of({0x0f, 0xff, 0xff, 0xff, 0x7f}).at(0).rule.cfa, CfaFrom::unsupported);
}

TEST(CfiReader, rows_beyond_the_function_are_left_out) {
    const auto rows = rows_of({0x03, 0x00, 0x01, 0x0e, 16});
    EXPECT_EQ(rows.size(), 1u);
}

TEST(CfiReader, a_common_part_that_is_longer_than_any_is_not_read) {
    Section section;
    section.builder.fde(section.builder.cie(std::vector<int>(4000, 0)), 0x1000, 0x10, {});
    section.builder.fde(section.builder.cie(std::vector<int>(5000, 0)), 0x2000, 0x10, {});
    EXPECT_EQ(section.entries().size(), 1u);
}

TEST(CfiReader, lists_no_more_entries_than_the_work_goes) {
    Section section;
    const size_t cie = section.builder.cie();
    for (uint64_t i = 0; i < 100; ++i)
        section.builder.fde(cie, 0x1000 + i * 0x10, 0x10, {});
    CfiReader cfi(section.section(), unwind_x86_64, 1000);
    std::vector<FdePlace> all;
    cfi.append_entries(all);
    EXPECT_TRUE(cfi.is_spent());
    EXPECT_GT(all.size(), 10u);
    EXPECT_LT(all.size(), 40u);
}

TEST(CfiReader, remembers_a_bounded_number_of_states) {
    Section section;
    const size_t cie = section.builder.cie();
    section.builder.fde(cie, 0x1000, 0x100, {0x0a, 0x0a});
    EXPECT_EQ(section.rows().at(0).rule, sp_rule(8));
    std::vector<std::byte>& bytes = section.builder.bytes();
    // The same entry with a thousand of them.
    Section deep;
    const size_t deep_cie = deep.builder.cie();
    deep.builder.fde(deep_cie, 0x1000, 0x100, {});
    std::vector<std::byte>& long_bytes = deep.builder.bytes();
    const size_t fde_at = deep.entries().at(0).at;
    long_bytes.insert(long_bytes.end(), 1000, std::byte{0x0a});
    const auto length = static_cast<uint32_t>(long_bytes.size() - fde_at - 4);
    std::memcpy(long_bytes.data() + fde_at, &length, sizeof length);
    EXPECT_EQ(deep.rows().at(0).rule.cfa, CfaFrom::unsupported);
    EXPECT_LT(bytes.size(), long_bytes.size());
}

TEST(CfiReader, lists_entries_across_a_terminator_and_leaves_damaged_ones_out) {
    Section section;
    const size_t cie = section.builder.cie();
    section.builder.fde(cie, 0x1000, 0x10, {});
    section.builder.terminator();
    section.builder.fde(cie, 0x2000, 0x20, {});
    section.builder.fde(cie, 0x3000, 0, {});                 // no code
    section.builder.fde(cie, 0xfffffffffffffff0, 0x20, {});  // ends before it begins
    section.builder.fde(cie + 1, 0x4000, 0x10, {});          // refers to no common entry
    const auto entries = section.entries();
    ASSERT_EQ(entries.size(), 2u);
    EXPECT_EQ(entries[0].start, LinkAddress{0x1000});
    std::vector<UnwindRow> rows;
    EXPECT_EQ(section.reader().append_rows(entries[1], everywhere, rows), LinkAddress{0x2020});
}

TEST(CfiReader, ends_at_a_record_that_is_longer_than_the_section) {
    Section section;
    const size_t cie = section.builder.cie();
    section.builder.fde(cie, 0x1000, 0x10, {});
    section.builder.fde(cie, 0x2000, 0x10, {});
    section.builder.bytes().pop_back();
    EXPECT_EQ(section.entries().size(), 1u);
    section.builder.bytes().resize(2);
    EXPECT_TRUE(section.entries().empty());
}

}  // namespace op::collect
