// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/jit/code_history.h"

#include <gtest/gtest.h>

#include "libop/jit/code_placer.h"

namespace op {

TEST(CodeHistory, code_that_replaces_code_is_of_the_next_generation) {
    CodeHistory history;
    EXPECT_EQ(history.load(100, 10, "f"), 0u);
    EXPECT_EQ(history.load(110, 10, "g"), 0u);
    EXPECT_EQ(history.load(105, 10, "h"), 1u);
    EXPECT_EQ(history.generation_at(104), 0u);
    EXPECT_EQ(history.generation_at(105), 1u);
    EXPECT_EQ(history.generation_at(114), 1u);
    EXPECT_EQ(history.generation_at(115), 0u);
    EXPECT_EQ(history.generation_at(120), 0u);
    EXPECT_EQ(history.load(114, 2, "i"), 2u);
    EXPECT_EQ(history.load(100, 5, "j"), 1u);
}

TEST(CodeHistory, the_same_code_announced_again_stays) {
    CodeHistory history;
    history.load(100, 10, "f");
    EXPECT_EQ(history.load(100, 10, "f"), 0u);
    EXPECT_EQ(history.load(100, 12, "f"), 1u);
    EXPECT_EQ(history.load(100, 12, "g"), 2u);
}

TEST(CodeHistory, a_hole_is_of_a_generation_that_no_code_has) {
    CodeHistory history;
    history.load(100, 10, "f");
    history.unload(100);
    EXPECT_EQ(history.generation_at(105), 1u);
    EXPECT_EQ(history.load(100, 10, "f"), 2u);
    EXPECT_EQ(history.move(100, 200, 10), 0u);
    EXPECT_EQ(history.generation_at(105), 3u);
    EXPECT_EQ(history.load(200, 10, "f"), 0u);
    history.unload(7);
    history.unload(100);
    EXPECT_EQ(history.generation_at(105), 3u);
}

TEST(CodeHistory, what_is_left_of_cut_code_goes_with_it) {
    CodeHistory history;
    history.load(100, 10, "f");
    history.load(104, 2, "g");
    history.unload(100);
    EXPECT_EQ(history.generation_at(103), 1u);
    EXPECT_EQ(history.generation_at(104), 1u);
    EXPECT_EQ(history.generation_at(106), 1u);
    EXPECT_EQ(history.load(104, 2, "h"), 2u);
}

TEST(CodeHistory, the_last_generation_has_no_end) {
    CodeHistory history;
    for (unsigned i = 0; i < 300; ++i)
        EXPECT_EQ(history.load(100, 10, std::to_string(i)), std::min(i, unnamed_code_generation));
}

TEST(CodePlacer, a_moment_is_of_the_code_before_the_next_record) {
    const std::vector<CodeMoment> moments{{25, 105}, {5, 105}, {15, 105}, {20, 105}, {99, 105}, {30, 500}};
    CodePlacer placer(moments);
    placer.take(JitLoad{10, 100, 10, 0, "f", {}});
    placer.take(JitLoad{20, 100, 10, 0, "g", {}});
    placer.take(JitMove{40, 100, 200, 10, 0});
    placer.take(JitUnload{30, 200});
    EXPECT_EQ(placer.finish(), (std::vector<uint8_t>{1, 0, 0, 1, 2, 0}));
}

}  // namespace op
