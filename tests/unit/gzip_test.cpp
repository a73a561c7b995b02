// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/base/gzip.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "libop/base/error.h"

using namespace std::literals;

namespace op {

TEST(Gzip, text_survives_a_round_trip) {
    std::mt19937 random(5);
    std::string noise(300000, '\0');
    for (char& c : noise)
        c = static_cast<char>(random());
    for (const auto& text : {""s, "a"s, std::string(3000000, 'x'), noise})
        EXPECT_EQ(gunzip(gzip(text), "x"), text);
}

TEST(Gzip, concatenated_members_join) {
    EXPECT_EQ(gunzip(gzip("ab") + gzip("") + gzip("c"), "x"), "abc");
}

TEST(Gzip, streams_of_zlib_are_read_too) {
    EXPECT_EQ(gunzip("\x78\x9c\x4b\x4c\x4a\x06\x00\x02\x4d\x01\x27"s, "x"), "abc");
    EXPECT_THROW(gunzip("\x78\x9c\x4b\x4c\x4a\x06\x00\x02\x4d\x01\x28"s, "x"), Error);
}

TEST(Gzip, damage_is_an_input_error) {
    const std::string packed = gzip("some text that is packed");
    for (size_t n = 0; n < packed.size(); ++n)
        EXPECT_THROW(gunzip(packed.substr(0, n), "x"), Error) << n;
    for (size_t n = packed.size() - 8; n < packed.size(); ++n) {
        std::string damaged = packed;
        damaged[n] ^= 1;
        EXPECT_THROW(gunzip(damaged, "x"), Error) << n;
    }
    EXPECT_THROW(gunzip(packed + "garbage", "x"), Error);
    EXPECT_THROW(gunzip("plain text", "x"), Error);
}

TEST(Gzip, limit_is_enforced_exactly) {
    const std::string packed = gzip(std::string(1 << 20, 'x'));
    EXPECT_EQ(gunzip(packed, "x", 1 << 20).size(), 1u << 20);
    EXPECT_THROW(gunzip(packed, "x", (1 << 20) - 1), Error);
    EXPECT_THROW(gunzip(packed + packed, "x", 1 << 20), Error);
    EXPECT_EQ(gunzip(gzip(""), "x", 0), "");
    EXPECT_EQ(gunzip(packed, "x", std::numeric_limits<size_t>::max()).size(), 1u << 20);
}

TEST(Gzip, pieces_give_the_same_as_the_whole) {
    GzipWriter writer;
    std::string whole;
    for (int i = 0; i < 20000; ++i) {
        const std::string piece = std::to_string(i * 7919) + "\n";
        writer.add(piece);
        whole += piece;
    }
    writer.add("");
    EXPECT_EQ(gunzip(std::move(writer).finish(), "x"), whole);
}

}  // namespace op
