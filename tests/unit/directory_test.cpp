// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/base/directory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "libop/base/error.h"
#include "tests/unit/faults.h"
#include "tests/unit/temp_dir.h"

namespace op {

namespace {

namespace fs = std::filesystem;
using test::contains;
using test::fault;
using test::TempDir;

}  // namespace

TEST(Directory, trees_of_any_depth_are_removed) {
    const TempDir dir;
    const Fd top = open_file(dir.path(), O_RDONLY | O_DIRECTORY);
    {
        Fd at = open_directory_at(top, "tree", "tree", true);
        for (int i = 0; i < 300; ++i) {
            const Fd file = open_at(at, "file", O_WRONLY | O_CREAT);
            at = open_directory_at(at, ".up1", "deep", true);
        }
    }
    dir.write("tree/a/b/c/d", "");
    dir.write("tree/.up2", "in the way");
    remove_tree_at(top, "tree", "tree");
    EXPECT_TRUE(fs::is_empty(dir.path()));
    remove_tree_at(top, "tree", "tree");
}

TEST(Directory, a_file_that_cannot_be_removed_is_named) {
    if (::geteuid() == 0) GTEST_SKIP() << "root may remove everything";
    const TempDir dir;
    dir.write("tree/sub/file", "");
    fs::permissions(dir / "tree/sub", fs::perms::owner_read | fs::perms::owner_exec);
    const Fd top = open_file(dir.path(), O_RDONLY | O_DIRECTORY);
    EXPECT_TRUE(contains(fault(ErrorKind::system, [&] { remove_tree_at(top, "tree", "x/tree"); }), "x/tree"));
    fs::permissions(dir / "tree/sub", fs::perms::owner_all);
}

TEST(OpenRegularBelow, follows_no_link_and_opens_only_files) {
    const TempDir dir;
    dir.write("tree/a/file", "content");
    dir.write("outside/file", "secret");
    fs::create_symlink("../outside/file", dir / "tree/link");
    fs::create_directory_symlink("../outside", dir / "tree/linked");
    ASSERT_EQ(::mkfifo((dir / "tree/fifo").c_str(), 0600), 0);
    const Fd top = open_file(dir / "tree", O_RDONLY | O_DIRECTORY);
    EXPECT_EQ(read_fd(open_regular_below(top, "a/file", "label").get(), "label"), "content");
    EXPECT_FALSE(open_regular_below(top, "a/absent", "label"));
    EXPECT_FALSE(open_regular_below(top, "absent/file", "label"));
    for (const char* const path :
         {"link", "linked/file", "a/../a/file", "../outside/file", "fifo", "a", "a/"})
        EXPECT_THROW(open_regular_below(top, path, "label"), Error) << path;
}

}  // namespace op
