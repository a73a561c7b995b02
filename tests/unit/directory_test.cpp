// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/base/directory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

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

}  // namespace op
