// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/session/kept_images.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "libop/session/session.h"
#include "tests/unit/temp_dir.h"

namespace op {
namespace {

class KeptImages : public ::testing::Test {
protected:
    std::optional<uint64_t> keep(const std::string& build_id, uint64_t limit = kept_images_limit) {
        const Fd dir = open_file(dir_.path(), O_RDONLY | O_DIRECTORY);
        return keep_image(dir, dir_.path(), build_id, open_regular(binary_), limit);
    }

    test::TempDir dir_;
    std::string binary_ = dir_.write("binary", "\177ELF");
};

TEST_F(KeptImages, are_found_by_build_id) {
    EXPECT_EQ(find_kept_image(dir_.path(), "abcd"), std::nullopt);
    EXPECT_EQ(keep("abcd"), 4u);
    const auto kept = find_kept_image(dir_.path(), "abcd");
    ASSERT_TRUE(kept);
    EXPECT_EQ(read_file(*kept), "\177ELF");
    EXPECT_EQ(keep("abcd"), 0u) << "the session has it";
}

TEST_F(KeptImages, are_made_again_if_a_crash_cut_them_off) {
    ASSERT_EQ(keep("abcd"), 4u);
    std::filesystem::resize_file(dir_ / "images/abcd", 1);
    EXPECT_EQ(keep("abcd"), 4u);
    EXPECT_EQ(read_file(dir_ / "images/abcd"), "\177ELF");
}

TEST_F(KeptImages, are_small) {
    EXPECT_EQ(keep("abcd", 3), std::nullopt);
    std::filesystem::resize_file(binary_, kept_image_limit + 1);
    EXPECT_EQ(keep("abcd"), std::nullopt);
    std::filesystem::resize_file(binary_, 0);
    EXPECT_EQ(keep("abcd"), std::nullopt);
    EXPECT_FALSE(std::filesystem::exists(dir_ / "images/abcd"));
}

TEST_F(KeptImages, lie_nowhere_else_whatever_the_build_id) {
    for (const char* id : {"", "..", "../x", "ab/cd", "AB", "a b"}) {
        EXPECT_EQ(keep(id), std::nullopt) << id;
        EXPECT_EQ(find_kept_image(dir_.path(), id), std::nullopt) << id;
    }
    EXPECT_FALSE(std::filesystem::exists(dir_ / "x"));
}

TEST_F(KeptImages, follow_no_link) {
    std::filesystem::create_directory(dir_ / "elsewhere");
    std::filesystem::create_symlink(dir_ / "elsewhere", dir_ / kept_images_dir);
    EXPECT_ANY_THROW(keep("abcd"));
    EXPECT_TRUE(std::filesystem::is_empty(dir_ / "elsewhere"));
}

TEST_F(KeptImages, go_with_the_session) {
    Diagnostics notes;
    SessionWriter session(dir_.path(), false, notes);
    session.begin(false);
    EXPECT_EQ(session.keep_image("abcd", open_regular(binary_), kept_images_limit), 4u);
    ASSERT_TRUE(find_kept_image(session.current_path(), "abcd"));
    EXPECT_EQ(session.kept_image_bytes(), 4u);
    session.reset();
    EXPECT_EQ(session.kept_image_bytes(), 0u);
    EXPECT_FALSE(find_kept_image(session.current_path(), "abcd"));
}

}  // namespace
}  // namespace op
