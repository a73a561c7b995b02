// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/base/unpack.h"

#include <gtest/gtest.h>

#include <random>

#include "libop/base/error.h"
#include "tests/unit/packing.h"

using namespace std::literals;

namespace op {

namespace {

struct Format {
    std::string (*pack)(std::string_view);
    std::string (*unpack)(std::string_view, std::string_view, size_t);
};

class Unpacking : public ::testing::TestWithParam<Format> {
protected:
    static std::string pack(std::string_view text) { return GetParam().pack(text); }
    static std::string unpack(std::string_view packed, size_t limit = 8 << 20) {
        return GetParam().unpack(packed, "x", limit);
    }
};

INSTANTIATE_TEST_SUITE_P(Formats, Unpacking,
                         ::testing::Values(Format{test::xz, unxz}, Format{test::zstd, unzstd}));

}  // namespace

TEST_P(Unpacking, gives_back_what_was_packed) {
    std::mt19937 random(5);
    std::string noise(300000, '\0');
    for (char& c : noise)
        c = static_cast<char>(random());
    for (const auto& text : {""s, "a"s, std::string(3000000, 'x'), std::string(1 << 18, 'y'), noise})
        EXPECT_EQ(unpack(pack(text)), text) << text.size();
}

TEST_P(Unpacking, joins_concatenated_parts) {
    EXPECT_EQ(unpack(pack("ab") + pack("") + pack("c")), "abc");
}

TEST_P(Unpacking, a_cut_off_file_is_an_input_error) {
    const std::string packed = pack("some text that is packed");
    for (size_t n = 0; n < packed.size(); ++n)
        EXPECT_THROW(unpack(packed.substr(0, n)), Error) << n;
    EXPECT_THROW(unpack(packed + "garbage"), Error);
    EXPECT_THROW(unpack("plain text"), Error);
}

TEST_P(Unpacking, the_limit_is_exact) {
    const std::string packed = pack(std::string(1 << 20, 'x'));
    EXPECT_EQ(unpack(packed, 1 << 20).size(), 1u << 20);
    EXPECT_THROW(unpack(packed, (1 << 20) - 1), Error);
    EXPECT_THROW(unpack(packed + packed, 1 << 20), Error);
}

}  // namespace op
