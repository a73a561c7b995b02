// SPDX-License-Identifier: GPL-2.0-or-later
#include "libpp/symbols/image_symbols.h"

#include <gtest/gtest.h>

#include "tests/unit/temp_dir.h"

namespace op::pp {

TEST(FileChange, goes_by_build_ids_where_both_are_known) {
    const test::TempDir dir;
    const std::string path = dir.write("a", "");
    EXPECT_EQ(file_change(path, "ab", {"ab", 1}), FileChange::none) << "the same build copied later";
    EXPECT_EQ(file_change(path, "ab", {"cd", 0}), FileChange::other_build);
    EXPECT_EQ(file_change(path, "ab", {"ab", 1, false, true}), FileChange::several_builds);
}

TEST(FileChange, goes_by_modification_time_otherwise) {
    const test::TempDir dir;
    const std::string path = dir.write("a", "");
    EXPECT_EQ(file_change(path, "ab", {}), FileChange::none) << "nothing is known";
    EXPECT_EQ(file_change(path, "ab", {"", 1}), FileChange::other_time);
    EXPECT_EQ(file_change(path, "", {"ab", 1}), FileChange::other_time);
}

TEST(FileChange, goes_by_the_size_of_files_of_one_time) {
    const test::TempDir dir;
    const std::string path = dir.write("a", "12345");
    EXPECT_EQ(file_change(path, "", {.size = 5}), FileChange::none);
    EXPECT_EQ(file_change(path, "", {.size = 6}), FileChange::other_time);
    EXPECT_EQ(file_change(path, "ab", {.build_id = "ab", .size = 6}), FileChange::none);
}

TEST(FileChange, has_a_note_that_names_the_file) {
    EXPECT_EQ(replacement_note("/a", FileChange::none), "");
    EXPECT_NE(replacement_note("/a", FileChange::other_build).find("/a is not the build"), std::string::npos);
    EXPECT_NE(replacement_note("/a", FileChange::several_builds).find("all builds"), std::string::npos);
    EXPECT_NE(replacement_note("/a", FileChange::other_time).find("was changed after"), std::string::npos);
}

}  // namespace op::pp
