// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/control/rotation_settings.h"

#include <gtest/gtest.h>

#include "libop/base/error.h"

namespace op {
namespace {

TEST(RotationSettings, reads_the_words_of_the_options) {
    EXPECT_EQ(parse_rotation("", "", ""), RotationSettings{});
    EXPECT_EQ(parse_rotation("off", "off", "off"), RotationSettings{});
    EXPECT_EQ(parse_rotation("1d", "7d", "2G"), (RotationSettings{86400, 604800, uint64_t{2} << 30}));
    EXPECT_EQ(parse_rotation("1h", "36h", "500M"), (RotationSettings{3600, 129600, 500 << 20}));
    EXPECT_EQ(parse_rotation("2", "90", "4096"), (RotationSettings{2, 90, 4096}));
}

TEST(RotationSettings, refuses_other_words) {
    for (const char* text : {"0", "2d", "7", "86401", "-1", "1D", "d", "now", "1h1"})
        EXPECT_THROW(parse_rotation(text, "", ""), Error) << text;
    for (const char* text : {"0", "d", "7w", "-1d", "36501d", "213503982334602d"})
        EXPECT_THROW(parse_rotation("1d", text, ""), Error) << text;
    for (const char* text : {"0", "G", "1.5G", "18446744073709551615T", "-1"})
        EXPECT_THROW(parse_rotation("1d", "", text), Error) << text;
}

TEST(RotationSettings, periods_are_texts_for_people) {
    EXPECT_EQ(period_text(86400), "1d");
    EXPECT_EQ(period_text(129600), "36h");
    EXPECT_EQ(period_text(90), "90 s");
}

}  // namespace
}  // namespace op
