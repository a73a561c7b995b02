// SPDX-License-Identifier: GPL-2.0-or-later
#include "utils/shared/file_access.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "tests/unit/temp_dir.h"

namespace op::tool {

namespace {

namespace fs = std::filesystem;

}  // namespace

TEST(FileAccess, what_lies_above_a_directory_that_the_user_named_does_not_count) {
    const test::TempDir dir;  // private itself
    const std::string path = dir.write("tree/a/file", "x");
    const std::string tops[] = {"", dir / "tree"};
    const auto passes = [&] { return is_public(open_file(path, O_RDONLY), tops); };
    EXPECT_FALSE(is_public(open_file(path, O_RDONLY)));
    EXPECT_TRUE(passes());
    fs::permissions(dir / "tree/a", fs::perms::owner_all);
    EXPECT_FALSE(passes());
    fs::permissions(dir / "tree/a", fs::perms::owner_all | fs::perms::others_exec);
    EXPECT_TRUE(passes());
    fs::permissions(path, fs::perms::owner_read);
    EXPECT_FALSE(passes());
}

TEST(FileAccess, a_link_out_of_that_directory_leads_to_what_is_judged_by_its_own_path) {
    const test::TempDir dir;
    dir.write("private/file", "x");
    fs::create_directory(dir / "tree");
    fs::create_symlink("../private/file", dir / "tree/link");
    const std::string tops[] = {dir / "tree"};
    EXPECT_FALSE(is_public(open_file(dir / "tree/link", O_RDONLY), tops));
}

TEST(FileAccess, a_path_is_trusted_only_with_the_file_that_it_leads_to) {
    const test::TempDir dir;
    const std::string one = dir.write("one", "x"), other = dir.write("other", "x");
    fs::create_symlink("loop", dir / "loop");
    fs::create_symlink("../" + dir.path().substr(dir.path().rfind('/') + 1) + "/./one", dir / "link");
    const uid_t self = ::geteuid();
    const Fd file = open_file(one, O_RDONLY);
    EXPECT_TRUE(is_path_trusted(file, one, self));
    EXPECT_TRUE(is_path_trusted(file, dir / "link", self));
    EXPECT_FALSE(is_path_trusted(file, other, self));
    EXPECT_FALSE(is_path_trusted(file, dir / "loop", self));
    EXPECT_FALSE(is_path_trusted(file, dir / "absent/one", self));
    EXPECT_FALSE(is_path_trusted(file, "one", self)) << "it is relative";
    EXPECT_EQ(resolved_path(open_file(dir / "link", O_RDONLY)), fs::canonical(one));
    const Fd gone = open_file(other, O_RDONLY);
    fs::remove(other);
    EXPECT_EQ(resolved_path(gone), "");
}

}  // namespace op::tool
