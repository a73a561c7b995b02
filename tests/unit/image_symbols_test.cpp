// SPDX-License-Identifier: GPL-2.0-or-later
#include "libpp/symbols/image_symbols.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "libop/base/checksum.h"
#include "libop/base/fd.h"
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
    EXPECT_EQ(file_change(path, "", {.size = 6}), FileChange::other_content);
    EXPECT_EQ(file_change(path, "ab", {.build_id = "ab", .size = 6}), FileChange::none);
}

TEST(FileChange, goes_by_the_content_where_a_build_id_is_unknown) {
    const test::TempDir dir;
    const std::string path = dir.write("a", "12345"), other = dir.write("b", "12354");
    const uint32_t sum = file_checksum(open_file(path, O_RDONLY), 5, checksum_bytes).value();
    struct stat st {};
    ASSERT_EQ(::stat(other.c_str(), &st), 0);
    const RecordedImage recorded{
        .mtime = static_cast<uint64_t>(st.st_mtim.tv_sec), .size = 5, .checksum = sum};
    EXPECT_EQ(file_change(path, "", recorded), FileChange::none);
    EXPECT_EQ(file_change(other, "", recorded), FileChange::other_content) << "of one size and time";
    EXPECT_EQ(file_change(other, "ab", recorded), FileChange::other_content);
    EXPECT_EQ(file_change(path, "", {.mtime = 1, .size = 5, .checksum = sum}), FileChange::none) << "touched";
    EXPECT_EQ(file_change(path, "", {.elsewhere = true, .size = 5, .checksum = sum}), FileChange::none);
    EXPECT_EQ(file_change(other, "", {.elsewhere = true, .size = 5, .checksum = sum}), FileChange::elsewhere);
}

TEST(FileChange, of_a_large_file_needs_its_time_besides_its_beginning_and_end) {
    const test::TempDir dir;
    const std::string path = dir.write("a", "");
    std::filesystem::resize_file(path, checksum_bytes + 1);
    const uint32_t sum = file_checksum(open_file(path, O_RDONLY), checksum_bytes + 1, checksum_bytes).value();
    struct stat st {};
    ASSERT_EQ(::stat(path.c_str(), &st), 0);
    const auto mtime = static_cast<uint64_t>(st.st_mtim.tv_sec);
    const auto change = [&](uint64_t time, uint32_t checksum) {
        return file_change(path, "", {.mtime = time, .size = checksum_bytes + 1, .checksum = checksum});
    };
    EXPECT_EQ(change(mtime, sum), FileChange::none);
    EXPECT_EQ(change(1, sum), FileChange::other_time);
    EXPECT_EQ(change(mtime, sum + 1), FileChange::other_content);
}

TEST(FileChange, has_a_note_that_names_the_file) {
    EXPECT_EQ(replacement_note("/a", FileChange::none), "");
    EXPECT_NE(replacement_note("/a", FileChange::other_build).find("/a is not the build"), std::string::npos);
    EXPECT_NE(replacement_note("/a", FileChange::several_builds).find("several builds"), std::string::npos);
    EXPECT_NE(replacement_note("/a", FileChange::other_content).find("another content"), std::string::npos);
    EXPECT_NE(replacement_note("/a", FileChange::other_time).find("was changed after"), std::string::npos);
}

}  // namespace op::pp
