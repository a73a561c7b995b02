// SPDX-License-Identifier: GPL-2.0-or-later
#include "libpp/object/symbol_ranges.h"

#include <gtest/gtest.h>

#include <cstring>

namespace op::pp {
namespace {

const std::vector<std::byte> room(0x1000);

Section code(std::string_view name, uint64_t address, uint64_t offset, uint64_t size) {
    return {name, {address}, offset, size, true, true, std::span(room).first(size)};
}

RawSymbol symbol(std::string_view name, uint64_t address, uint64_t size = 0) {
    return {{address}, size, name, true, false};
}

std::vector<std::string> shown(const std::vector<SymbolRange>& ranges) {
    std::vector<std::string> lines;
    for (const SymbolRange& r : ranges) {
        char text[100];
        std::snprintf(text, sizeof text, "%lx+%lx ", static_cast<unsigned long>(r.start),
                      static_cast<unsigned long>(r.length));
        lines.push_back(text + std::string(r.name) + std::string(r.section));
    }
    return lines;
}

using Lines = std::vector<std::string>;

/// An .eh_frame_hdr whose table lists these distances from its own start.
std::vector<std::byte> unwind_header(const std::vector<int32_t>& distances) {
    std::vector<std::byte> bytes{std::byte{1}, std::byte{0x1b}, std::byte{3}, std::byte{0x3b}};
    const auto add = [&](int32_t v) {
        bytes.resize(bytes.size() + 4);
        std::memcpy(bytes.data() + bytes.size() - 4, &v, 4);
    };
    add(0);
    add(static_cast<int32_t>(distances.size()));
    for (const int32_t d : distances) {
        add(d);
        add(0);
    }
    return bytes;
}

}  // namespace

TEST(SymbolRanges, a_symbol_reaches_to_the_next_or_to_the_end_of_its_section) {
    const std::vector sections{code(".text", 0x401000, 0x1000, 0x100), code(".fini", 0x401200, 0x1200, 0x10)};
    EXPECT_EQ(shown(make_ranges(
                  sections, {symbol("b", 0x401040, 4), symbol("a", 0x401000), symbol("f", 0x401200)}, {})),
              (Lines{"1000+40 a", "1040+c0 b", "1200+10 f"}));
}

TEST(SymbolRanges, code_before_the_first_symbol_is_named_after_its_section) {
    const std::vector sections{code(".plt", 0x400800, 0x800, 0x20), code(".text", 0x401000, 0x1000, 0x100)};
    EXPECT_EQ(shown(make_ranges(sections, {symbol("a", 0x401010)}, {})),
              (Lines{"800+20 .plt", "1000+10 .text", "1010+f0 a"}));
}

TEST(SymbolRanges, the_best_of_several_names_is_kept) {
    const std::vector sections{code(".text", 0x1000, 0, 0x100)};
    RawSymbol plain = symbol("clock_gettime", 0x1000);
    plain.weak = true;
    EXPECT_EQ(shown(make_ranges(sections, {plain, symbol("__vdso_clock_gettime", 0x1000)}, {})),
              Lines{"0+100 __vdso_clock_gettime"});
    RawSymbol local = symbol("aaa", 0x1000), weak = symbol("aab", 0x1000);
    local.global = false;
    weak.weak = true;
    EXPECT_EQ(
        shown(make_ranges(sections, {local, symbol("__real", 0x1000), weak, symbol("real", 0x1000)}, {})),
        Lines{"0+100 real"});
    EXPECT_EQ(shown(make_ranges(sections, {local, symbol("Letext", 0x1000)}, {})), Lines{"0+100 aaa"});
}

TEST(SymbolRanges, labels_inside_a_function_have_its_name) {
    const std::vector sections{code(".text", 0x1000, 0, 0x100)};
    const auto with = [&](uint64_t size) {
        return shown(
            make_ranges(sections,
                        {symbol("f", 0x1000, size), symbol("first", 0x1010), symbol("last", 0x101f),
                         symbol("behind", 0x1020), symbol("g", 0x1040, 0x10), symbol("h", 0x1048, 4)},
                        {}));
    };
    EXPECT_EQ(with(0x20), (Lines{"0+20 f", "20+20 behind", "40+8 g", "48+b8 h"}));
    EXPECT_EQ(with(0), (Lines{"0+10 f", "10+f first", "1f+1 last", "20+20 behind", "40+8 g", "48+b8 h"}));
    EXPECT_EQ(with(UINT64_MAX), (Lines{"0+40 f", "40+8 g", "48+b8 h"}));
}

TEST(SymbolRanges, nameless_functions_fill_what_no_symbol_claims) {
    const std::vector sections{code(".text", 0x1000, 0, 0x100)};
    const std::vector<LinkAddress> functions{{0x1000}, {0x1008}, {0x1040}, {0x1080}};
    EXPECT_EQ(shown(make_ranges(sections, {symbol("named", 0x1000, 0x20)}, functions)),
              (Lines{"0+40 named", "40+40 ", "80+80 "}));
}

TEST(SymbolRanges, overlapping_sections_of_a_damaged_file_do_not_give_overlapping_ranges) {
    const std::vector sections{code(".text", 0x1000, 0, 0x100), code(".evil", 0x1080, 0x40, 0x100),
                               code(".far", 0x9000, 0x80, 0x100)};
    const auto ranges =
        make_ranges(sections, {symbol("a", 0x1000), symbol("b", 0x10ff), symbol("c", 0x9000)}, {});
    for (size_t i = 1; i < ranges.size(); ++i)
        EXPECT_GE(ranges[i].start, ranges[i - 1].start + ranges[i - 1].length);
}

TEST(UnwindStarts, the_table_gives_addresses_relative_to_its_section) {
    const auto bytes = unwind_header({-0x1000, -0x800});
    const std::vector<Section> sections{{".eh_frame_hdr", {0x3000}, 0, bytes.size(), false, true, bytes}};
    EXPECT_EQ(unwind_function_starts(sections), (std::vector<LinkAddress>{{0x2000}, {0x2800}}));
}

TEST(UnwindStarts, a_damaged_table_gives_nothing) {
    auto bytes = unwind_header({1, 2, 3});
    for (size_t n = 0; n < bytes.size(); ++n) {
        const std::vector<Section> cut{
            {".eh_frame_hdr", {0x3000}, 0, n, false, true, std::span(bytes).first(n)}};
        EXPECT_TRUE(unwind_function_starts(cut).empty()) << n;
    }
    bytes[3] = std::byte{0xff};
    const std::vector<Section> other{{".eh_frame_hdr", {0x3000}, 0, bytes.size(), false, true, bytes}};
    EXPECT_TRUE(unwind_function_starts(other).empty());
}

}  // namespace op::pp
