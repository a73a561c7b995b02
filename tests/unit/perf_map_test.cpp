// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/jit/perf_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace op {
namespace {

struct Read {
    std::vector<CodeSymbol> symbols;
    PerfMapCounts counts;
};

Read read_map(std::string_view text, std::vector<uint64_t> wanted, size_t piece = SIZE_MAX) {
    PerfMapReader reader(wanted);
    for (size_t at = 0; at < text.size(); at += std::min(piece, text.size() - at))
        reader.feed(text.substr(at, piece));
    auto symbols = reader.finish();
    return {std::move(symbols), reader.counts()};
}

/// The symbols as "start-end name" lines.
std::string shown(const std::vector<CodeSymbol>& symbols) {
    std::string text;
    for (const CodeSymbol& s : symbols) {
        char line[64];
        std::snprintf(line, sizeof line, "%lx-%lx ", s.address, s.end());
        text += line + s.name + "\n";
    }
    return text;
}

}  // namespace

TEST(PerfMap, keeps_functions_that_contain_an_address_asked_for) {
    const auto read =
        read_map("1000 10 before\n2000 20 JS:*fib /a b.js:1:2\n3000 10 after\n", {0x2000, 0x201f});
    EXPECT_EQ(shown(read.symbols), "2000-2020 JS:*fib /a b.js:1:2\n");
    EXPECT_EQ(read.counts, (PerfMapCounts{3, 0, false}));
    EXPECT_TRUE(read_map("1000 10 f\n", {0xfff, 0x1010}).symbols.empty());
}

TEST(PerfMap, counts_addresses_of_replaced_functions) {
    const std::vector<uint64_t> wanted{0x1000, 0x1004, 0x1008, 0x2000};
    PerfMapReader reader(wanted);
    reader.feed("1000 10 f\n2000 10 g\n1004 8 h\n1004 2 i\n2000 20 g\n");
    EXPECT_EQ(reader.replaced(), 2u);
}

TEST(PerfMap, accepts_the_spellings_of_emitters) {
    const auto read =
        read_map("0x0000000000001000 0x0000000000000010 int J.fib(int)\n0x2000 A wasm\r\n\t3000\t10\tq\n",
                 {0x1000, 0x2000, 0x3000});
    EXPECT_EQ(shown(read.symbols), "1000-1010 int J.fib(int)\n2000-200a wasm\n3000-3010 q\n");
    EXPECT_EQ(read.counts.bad, 0u);
}

TEST(PerfMap, the_last_line_wins_and_cuts_earlier_ones) {
    EXPECT_EQ(shown(read_map("1000 10 old\n1000 10 new\n", {0x1008}).symbols), "1000-1010 new\n");
    EXPECT_EQ(shown(read_map("1000 100 outer\n1040 10 inner\n", {0x1000, 0x1048, 0x10ff}).symbols),
              "1000-1040 outer\n1040-1050 inner\n1050-1100 outer\n");
    EXPECT_EQ(shown(read_map("1000 100 outer\n1040 10 unsampled\n", {0x1000}).symbols), "1000-1040 outer\n");
    EXPECT_EQ(shown(read_map("1040 10 inner\n1000 100 outer\n", {0x1048}).symbols), "1000-1100 outer\n");
}

TEST(PerfMap, counts_what_is_no_line_and_goes_on) {
    const auto read = read_map(
        "nonsense\n\n1000\n1000 10\n1000 10 \n1000 xy f\n11111111111111111 1 f\n"
        "ffffffffffffffff 2 f\n2000 0 empty\n2000 10 g\n2000 10 torn",
        {0x1000, 0x2000});
    EXPECT_EQ(shown(read.symbols), "2000-2010 g\n");
    EXPECT_EQ(read.counts, (PerfMapCounts{10, 8, true}));
}

TEST(PerfMap, a_line_without_end_takes_no_memory) {
    std::vector<uint64_t> wanted{0x1000, 0x2000};
    PerfMapReader reader(wanted);
    reader.feed("1000 10 ");
    const std::string piece(1 << 16, 'x');
    for (int i = 0; i < 64; ++i)
        reader.feed(piece);
    reader.feed("\n2000 10 " + std::string(5000, 'n') + "\n");
    const auto symbols = reader.finish();
    ASSERT_EQ(symbols.size(), 1u);
    EXPECT_EQ(symbols.front().name.size(), PerfMapReader::longest_name);
    EXPECT_EQ(reader.counts(), (PerfMapCounts{2, 1, false}));
}

TEST(PerfMap, pieces_change_nothing_and_each_prefix_parses) {
    const std::string text = "1000 100 outer\n0x1040 0x10 inner \xc3\xa9\r\nbad\n1000 8 new\n3000 10 last\n";
    const std::vector<uint64_t> wanted{0x1004, 0x1048, 0x1090, 0x3000};
    const auto whole = read_map(text, wanted);
    for (size_t piece = 1; piece < text.size(); ++piece) {
        const auto read = read_map(text, wanted, piece);
        EXPECT_EQ(read.symbols, whole.symbols) << piece;
        EXPECT_EQ(read.counts, whole.counts) << piece;
    }
    for (size_t length = 0; length < text.size(); ++length) {
        const auto lines =
            static_cast<uint64_t>(std::count(text.begin(), text.begin() + static_cast<long>(length), '\n'));
        EXPECT_EQ(read_map(std::string_view(text).substr(0, length), wanted).counts.lines, lines);
    }
}

TEST(PerfMap, is_what_a_table_of_addresses_would_be) {
    std::mt19937 random(1);
    std::vector<uint64_t> wanted;
    for (uint64_t a = 0; a < 256; a += 1 + random() % 5)
        wanted.push_back(a);
    std::vector<std::string> names(256 + 64);
    std::string text;
    for (int i = 0; i < 5000; ++i) {
        const uint64_t start = random() % 256, size = random() % 64;
        const std::string name = "f" + std::to_string(i);
        char line[64];
        std::snprintf(line, sizeof line, "%lx %lx %s\n", start, size, name.c_str());
        text += line;
        for (uint64_t a = start; a < start + size; ++a)
            names[a] = name;
    }
    const auto read = read_map(text, wanted);
    for (const uint64_t a : wanted) {
        const auto after = std::ranges::upper_bound(read.symbols, a, {}, &CodeSymbol::address);
        const bool is_named = after != read.symbols.begin() && std::prev(after)->end() > a;
        EXPECT_EQ(is_named ? std::prev(after)->name : "", names[a]) << a;
    }
}

}  // namespace op
