// SPDX-License-Identifier: GPL-2.0-or-later
#include "libpp/symbols/image_symbols.h"

#include <gtest/gtest.h>

#include "tests/unit/temp_dir.h"

namespace op::pp {

TEST(ReplacementNote, goes_by_build_ids_where_both_are_known) {
    const test::TempDir dir;
    const std::string path = dir.write("a", "");
    EXPECT_EQ(replacement_note(path, "ab", {"ab", 1}), "") << "the same build copied later";
    EXPECT_NE(replacement_note(path, "ab", {"cd", 0}).find("build-ids differ"), std::string::npos);
    EXPECT_NE(replacement_note(path, "ab", {"ab", 1, false, true}).find("all builds"), std::string::npos);
}

TEST(ReplacementNote, goes_by_modification_time_otherwise) {
    const test::TempDir dir;
    const std::string path = dir.write("a", "");
    EXPECT_EQ(replacement_note(path, "ab", {}), "") << "nothing is known";
    EXPECT_NE(replacement_note(path, "ab", {"", 1}).find(path + " was changed after"), std::string::npos);
    EXPECT_NE(replacement_note(path, "", {"ab", 1}).find("was changed after"), std::string::npos);
}

}  // namespace op::pp
