// SPDX-License-Identifier: GPL-2.0-or-later
#include "utils/shared/checked_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "libop/base/error.h"
#include "tests/unit/temp_dir.h"

namespace op::tool {

TEST(CheckedFile, is_opened_again_if_nothing_changed) {
    const test::TempDir dir;
    const std::string path = dir.write("file", "content");
    const CheckedFile checked(open_regular(path), path);
    EXPECT_EQ(read_fd(checked.open_again(path).get(), path), "content");
}

TEST(CheckedFile, is_not_opened_by_a_path_that_leads_to_another_file_by_now) {
    const test::TempDir dir;
    const std::string path = dir.write("file", "content"), secret = dir.write("secret", "content");
    const CheckedFile checked(open_regular(path), path);
    std::filesystem::remove(path);
    ASSERT_EQ(::symlink(secret.c_str(), path.c_str()), 0);
    EXPECT_THROW(checked.open_again(path), Error);
    std::filesystem::remove(path);
    EXPECT_THROW(checked.open_again(path), Error);
}

TEST(CheckedFile, is_not_opened_after_it_was_written_to) {
    const test::TempDir dir;
    const std::string path = dir.write("file", "content");
    const CheckedFile checked(open_regular(path), path);
    dir.write("file", "other content");
    EXPECT_THROW(checked.open_again(path), Error);
}

}  // namespace op::tool
