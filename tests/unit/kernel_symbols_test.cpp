// SPDX-License-Identifier: GPL-2.0-or-later
#include "libpp/symbols/kernel_symbols.h"

#include <gtest/gtest.h>

namespace op::pp {
namespace {

constexpr std::string_view text =
    "0000000000000000 A fixed_percpu_data\n"
    "ffffffff81000100 T second\n"
    "ffffffff81000000 T _text\n"
    "ffffffff81000000 T startup_64\n"
    "ffffffff81000200 t third\n"
    "ffffffff81000300 T _etext\n"
    "ffffffff81000180 D data\n"
    "ffffffffc0001000 t open_it\t[nf_tables]\n"
    "ffffffffc0001080 t close_it\t[nf_tables]\n";

std::vector<ImageSymbol> kallsyms_symbols(std::string_view text, std::string_view module, uint64_t start,
                                          uint64_t length) {
    return KernelSymbols(text).of(module, start, length);
}

}  // namespace

TEST(KernelSymbols, ranges_reach_to_the_next_text_symbol_and_marks_give_way) {
    const auto symbols = kallsyms_symbols(text, "", 0xffffffff81000000, 0x300);
    ASSERT_EQ(symbols.size(), 3u);
    EXPECT_EQ(symbols[0].name, "startup_64");
    EXPECT_EQ(symbols[0].start.value(), 0u);
    EXPECT_EQ(symbols[0].length, 0x100u);
    EXPECT_EQ(symbols[1].length, 0x100u) << "data is no boundary";
    EXPECT_EQ(symbols[2].name, "third");
    EXPECT_EQ(symbols[2].length, 0x100u) << "the image ends there";
    EXPECT_EQ(symbols[2].address.value(), 0xffffffff81000200u);
}

TEST(KernelSymbols, modules_are_distinguished) {
    const auto symbols = kallsyms_symbols(text, "nf_tables", 0xffffffffc0000000, 0x2000);
    ASSERT_EQ(symbols.size(), 2u);
    EXPECT_EQ(symbols[0].name, "open_it");
    EXPECT_EQ(symbols[0].start.value(), 0x1000u);
    EXPECT_EQ(symbols[1].length, 0xf80u);
    EXPECT_TRUE(kallsyms_symbols(text, "ext4", 0, 0).empty());
}

TEST(KernelSymbols, without_a_recorded_start_offsets_count_from_the_first_symbol) {
    const auto symbols = kallsyms_symbols(text, "", 0, 0);
    ASSERT_EQ(symbols.size(), 4u);
    EXPECT_EQ(symbols[1].start.value(), 0x100u);
    EXPECT_EQ(symbols[3].length, 4096u);
}

TEST(KernelSymbols, hidden_or_foreign_text_gives_nothing) {
    EXPECT_TRUE(kallsyms_symbols("", "", 0, 0).empty());
    EXPECT_TRUE(kallsyms_symbols("0000000000000000 T _text\n0000000000000000 T f\n", "", 0, 0).empty());
    EXPECT_TRUE(kallsyms_symbols("noise\nffffffffffffffff", "", 0, 0).empty());
    EXPECT_TRUE(kallsyms_symbols("ffffffffffffffff T end\n", "", UINT64_MAX, UINT64_MAX).size() <= 1);
}

}  // namespace op::pp
