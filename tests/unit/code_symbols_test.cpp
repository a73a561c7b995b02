// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/jit/code_symbols.h"

#include <gtest/gtest.h>

namespace op {
namespace {

CodeMap map_of(std::vector<CodeSymbol> symbols) {
    return {std::move(symbols), {}};
}

TEST(CodeAddress, has_its_generation_in_the_top_byte) {
    EXPECT_EQ(tagged_address(0x7f0000001000, 0), 0x7f0000001000u);
    EXPECT_EQ(tagged_address(0x7f0000001000, 2), 0x0200'7f00'0000'1000u);
    EXPECT_EQ(code_generation(0x0200'7f00'0000'1000), 2u);
    EXPECT_EQ(plain_address(0x0200'7f00'0000'1000), 0x7f0000001000u);
    EXPECT_EQ(plain_address(0x7f00'7f00'0000'1000), 0x7f0000001000u);
}

TEST(CodeAddress, of_the_kernel_has_no_generation) {
    EXPECT_EQ(code_generation(0xffffffff81000000), 0u);
    EXPECT_EQ(plain_address(0xffffffff81000000), 0xffffffff81000000u);
}

TEST(CodeSymbols, are_sound_only_if_sorted_and_apart) {
    const std::vector<CodeSymbol> apart{{0x10, 8, "a"}, {0x18, 8, "b"}};
    EXPECT_TRUE(is_sound(apart));
    EXPECT_FALSE(is_sound(std::vector<CodeSymbol>{{0x10, 9, "a"}, {0x18, 8, "b"}}));
    EXPECT_FALSE(is_sound(std::vector<CodeSymbol>{{0x18, 8, "a"}, {0x10, 8, "b"}}));
    EXPECT_FALSE(is_sound(std::vector<CodeSymbol>{{0x10, 0, "a"}}));
    EXPECT_FALSE(is_sound(std::vector<CodeSymbol>{{0x10, 8, ""}}));
    EXPECT_FALSE(is_sound(std::vector<CodeSymbol>{{UINT64_MAX, 2, "a"}}));
    EXPECT_FALSE(is_sound(std::vector<CodeSymbol>{{0x10, 8, "a", {}, std::vector<std::byte>(7)}}));
}

TEST(CodeSymbols, of_two_captures_stay_where_they_do_not_overlap) {
    EXPECT_EQ(joined_code(map_of({{0x10, 8, "a"}, {0x30, 8, "c"}}), map_of({{0x18, 8, "b"}})),
              map_of({{0x10, 8, "a"}, {0x18, 8, "b"}, {0x30, 8, "c"}}));
}

TEST(CodeSymbols, of_two_captures_with_one_name_are_the_newer_ones) {
    const CodeMap newer = map_of({{0x10, 16, "a", {{0x10, 7, "a.c"}}}});
    EXPECT_EQ(joined_code(map_of({{0x10, 8, "a"}}), newer), newer);
}

TEST(CodeSymbols, of_two_captures_with_different_names_are_neither) {
    const CodeMap joined =
        joined_code(map_of({{0x10, 8, "a"}, {0x40, 8, "z"}}), map_of({{0x14, 16, "b"}, {0x24, 4, "c"}}));
    EXPECT_EQ(joined.symbols, (std::vector<CodeSymbol>{{0x24, 4, "c"}, {0x40, 8, "z"}}));
    EXPECT_EQ(joined.contested, (std::vector<CodeRange>{{0x10, 20}}));
}

TEST(CodeSymbols, are_not_named_where_earlier_captures_disagreed) {
    CodeMap joined = joined_code(map_of({{0x10, 8, "a"}}), map_of({{0x10, 8, "b"}}));
    joined = joined_code(std::move(joined), map_of({{0x10, 8, "b"}, {0x18, 8, "c"}}));
    EXPECT_EQ(joined.symbols, (std::vector<CodeSymbol>{{0x18, 8, "c"}}));
    EXPECT_EQ(joined.contested, (std::vector<CodeRange>{{0x10, 8}}));
}

}  // namespace
}  // namespace op
