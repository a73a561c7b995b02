// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/source/symbol_choice.h"

#include <gtest/gtest.h>

#include "libop/base/kallsyms.h"
#include "libop/base/text.h"

namespace op::collect {
namespace {

constexpr std::string_view kernel =
    "ffffffff81000000 T startup_64\n"
    "ffffffff81000000 T _text\n"
    "ffffffff81000100 t first\n"
    "ffffffff81001800 t second\n"
    "ffffffff81001800 T second_alias\n"
    "ffffffff81003010 t third\n"
    "ffffffff81003f00 t fourth\n"
    "ffffffff81005000 t fifth\n"
    "ffffffff81006000 t sixth\n"
    "ffffffff81007000 T _etext\n"
    "ffffffffc0001000 t open_it\t[nf_tables]\n"
    "ffffffffc0009000 t ext4_open\t[ext4]\n";

std::string chosen(std::string_view text, const std::vector<uint64_t>& addresses,
                   const std::vector<std::string>& modules = {}) {
    KernelPages pages;
    for (const uint64_t address : addresses)
        pages.note(address);
    SymbolChoice choice(pages, modules);
    std::string out;
    while (!text.empty()) {
        const std::string_view line = take_line(text);
        choice.take(line, parse_kallsyms_line(line)->address, out);
    }
    choice.finish(out);
    return choice.is_sorted() ? out : "unsorted";
}

}  // namespace

TEST(SymbolChoice, keeps_all_that_touch_a_page_and_the_next_one) {
    EXPECT_EQ(chosen(kernel, {0xffffffff81003020}),
              "ffffffff81000000 T _text\n"
              "ffffffff81001800 t second\n"  // reaches into the page
              "ffffffff81001800 T second_alias\n"
              "ffffffff81003010 t third\n"
              "ffffffff81003f00 t fourth\n"
              "ffffffff81005000 t fifth\n"  // where the fourth ends
              "ffffffff81007000 T _etext\n");
}

TEST(SymbolChoice, keeps_a_symbol_that_is_larger_than_its_pages) {
    EXPECT_EQ(chosen(kernel, {0xffffffff81004abc}),
              "ffffffff81000000 T _text\n"
              "ffffffff81003f00 t fourth\n"
              "ffffffff81005000 t fifth\n"
              "ffffffff81007000 T _etext\n");
}

TEST(SymbolChoice, keeps_all_symbols_within_a_page_and_none_within_another) {
    const std::string_view text =
        "ffffffff81001000 t a\nffffffff81001010 t b\nffffffff81001020 t c\nffffffff81002000 t d\n"
        "ffffffff81002010 t e\nffffffff81002020 t f\nffffffff81003000 t g\n";
    EXPECT_EQ(chosen(text, {0xffffffff81001ffc}),
              "ffffffff81001000 t a\nffffffff81001010 t b\nffffffff81001020 t c\nffffffff81002000 t d\n");
    EXPECT_EQ(chosen(text, {0xffffffff81002004}),
              "ffffffff81002000 t d\nffffffff81002010 t e\nffffffff81002020 t f\nffffffff81003000 t g\n");
}

TEST(SymbolChoice, keeps_the_last_symbol) {
    EXPECT_EQ(chosen("ffffffff81000100 t first\nffffffff81009000 t last\n", {0xffffffff8100a000}),
              "ffffffff81009000 t last\n");
}

TEST(SymbolChoice, keeps_modules_whole_or_not_at_all) {
    EXPECT_EQ(chosen(kernel, {0xffffffffc0001004}, {"nf_tables"}),
              "ffffffff81000000 T _text\n"
              "ffffffff81007000 T _etext\n"
              "ffffffffc0001000 t open_it\t[nf_tables]\n");
}

TEST(SymbolChoice, notices_symbols_that_are_not_sorted) {
    EXPECT_EQ(chosen("ffffffff81000100 t first\nffffffff81000000 t last\n", {0xffffffff81000100}),
              "unsorted");
}

TEST(KernelPages, know_which_ranges_they_touch) {
    KernelPages pages;
    pages.note(0x5008);
    EXPECT_TRUE(pages.touch(0x5fff, 0x6000));
    EXPECT_TRUE(pages.touch(0, UINT64_MAX));
    EXPECT_FALSE(pages.touch(0x6000, 0x7000));
    EXPECT_FALSE(pages.touch(0x4000, 0x5000));
    EXPECT_FALSE(pages.touch(0x5000, 0x5000)) << "an empty range";
}

TEST(KernelPages, are_limited) {
    KernelPages pages;
    for (uint64_t page = 1; page <= 100'000; ++page)
        pages.note(page << KernelPages::shift);
    EXPECT_FALSE(pages.has_all());
    EXPECT_LT(pages.pages().size(), 100'000u);
}

}  // namespace op::collect
