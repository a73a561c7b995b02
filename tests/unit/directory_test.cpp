// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/base/directory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <filesystem>
#include <thread>

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

namespace {

enum Outcome { all_regular = 0, other_kind = 1, not_possible = 2 };

/// Opens "file" again and again where there is no /proc, while it and a FIFO exchange their names.
Outcome open_while_names_change(const std::string& root) {
    const bool may =
        ::chroot(root.c_str()) == 0 || (::unshare(CLONE_NEWUSER) == 0 && ::chroot(root.c_str()) == 0);
    if (!may || ::chdir("/") != 0) return not_possible;
    std::atomic<bool> is_over = false;
    std::thread exchange([&is_over] {
        while (!is_over)
            ::renameat2(AT_FDCWD, "/file", AT_FDCWD, "/fifo", RENAME_EXCHANGE);
    });
    const Fd top = open_file("/", O_RDONLY | O_DIRECTORY);
    Outcome outcome = all_regular;
    for (int i = 0; i < 20'000 && outcome == all_regular; ++i) {
        try {
            struct stat st {};
            const Fd file = open_regular_below(top, "file", "label");
            if (::fstat(file.get(), &st) != 0 || !S_ISREG(st.st_mode)) outcome = other_kind;
        } catch (const Error&) {  // it was a FIFO in time
        }
    }
    is_over = true;
    exchange.join();
    return outcome;
}

}  // namespace

TEST(OpenRegularBelow, returns_no_other_file_that_got_the_name_where_there_is_no_proc) {
    const TempDir dir;
    dir.write("file", "content");
    ASSERT_EQ(::mkfifo((dir / "fifo").c_str(), 0600), 0);
    const pid_t child = ::fork();
    if (child == 0) ::_exit(open_while_names_change(dir.path()));
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    if (WEXITSTATUS(status) == not_possible) GTEST_SKIP() << "needs chroot(2)";
    EXPECT_EQ(WEXITSTATUS(status), all_regular);
}

TEST(OpenBelow, follows_links_on_the_way_at_any_length) {
    const TempDir dir;
    dir.write("real/file", "content");
    fs::create_directory_symlink("real", dir / "linked");
    fs::create_symlink("real/file", dir / "link");
    const Fd top = open_file(dir.path(), O_RDONLY | O_DIRECTORY);
    std::string far = "linked/..//";
    while (far.size() < 2 * PATH_MAX)
        far += "real/..//";
    for (const std::string& path :
         {std::string("linked/file"), far + "linked/file", "linked" + std::string(PATH_MAX, '/') + "file"}) {
        const Fd file = open_below(top, path, O_RDONLY);
        ASSERT_TRUE(file) << path.size() << ": " << errno;
        EXPECT_EQ(read_fd(file.get(), "label"), "content");
    }
    EXPECT_FALSE(open_below(top, far + "link", O_RDONLY));
    EXPECT_EQ(errno, ELOOP);
    EXPECT_FALSE(open_below(top, std::string(2 * PATH_MAX, 'x'), O_RDONLY));
    EXPECT_EQ(errno, ENAMETOOLONG);
    EXPECT_FALSE(open_below(top, "/file", O_RDONLY));
    EXPECT_EQ(errno, EINVAL);
}

}  // namespace op
