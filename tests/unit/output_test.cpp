// SPDX-License-Identifier: GPL-2.0-or-later
#include "utils/shared/output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>

#include "libop/base/error.h"
#include "libop/base/fd.h"
#include "tests/unit/temp_dir.h"

namespace op::tool {

namespace {

int code_of(const std::string& path) {
    try {
        write_output(path, "text");
    } catch (const Error& error) {
        return error.code();
    }
    return 0;
}

}  // namespace

TEST(Output, makes_or_replaces_a_file_and_keeps_its_mode) {
    const test::TempDir dir;
    write_output(dir / "new", "first");
    EXPECT_EQ(read_file(dir / "new"), "first");
    ::chmod((dir / "new").c_str(), 0600);
    write_output(dir / "new", "second");
    EXPECT_EQ(read_file(dir / "new"), "second");
    struct stat status {};
    ::stat((dir / "new").c_str(), &status);
    EXPECT_EQ(status.st_mode & 07777, 0600u);
}

TEST(Output, goes_through_a_symbolic_link) {
    const test::TempDir dir;
    dir.write("target", "old");
    std::filesystem::create_symlink("target", dir / "link");
    write_output(dir / "link", "new");
    EXPECT_TRUE(std::filesystem::is_symlink(dir / "link"));
    EXPECT_EQ(read_file(dir / "target"), "new");
}

TEST(Output, a_link_of_another_user_is_refused_and_its_target_kept) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can make links of others";
    constexpr uid_t stranger = 65534;
    const test::TempDir dir;
    dir.write("target", "old");
    std::filesystem::create_symlink("target", dir / "planted");
    ASSERT_EQ(::lchown((dir / "planted").c_str(), stranger, stranger), 0);
    std::filesystem::create_symlink("planted", dir / "own");
    for (const std::string& path : {dir / "planted", dir / "own"}) {
        EXPECT_THROW(write_output(path, "new"), Error) << path;
        EXPECT_THROW(OutputStream{path}, Error) << path;
    }
    EXPECT_EQ(read_file(dir / "target"), "old");
}

TEST(Output, a_loop_of_links_is_an_error) {
    const test::TempDir dir;
    std::filesystem::create_symlink("two", dir / "one");
    std::filesystem::create_symlink("one", dir / "two");
    EXPECT_EQ(code_of(dir / "one"), ELOOP);
}

TEST(Output, root_leaves_a_file_to_its_owner) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can make files of others";
    constexpr uid_t other = 65534;
    const test::TempDir dir;
    for (const std::string name : {"whole", "pieces"}) {
        dir.write(name, "old");
        ASSERT_EQ(::chown((dir / name).c_str(), other, other), 0);
        ASSERT_EQ(::chmod((dir / name).c_str(), 0640), 0);
    }
    write_output(dir / "whole", "new");
    OutputStream(dir / "pieces").write("new");
    for (const std::string name : {"whole", "pieces"}) {
        struct stat status {};
        ASSERT_EQ(::stat((dir / name).c_str(), &status), 0);
        EXPECT_EQ(status.st_uid, other) << name;
        EXPECT_EQ(status.st_gid, other) << name;
        EXPECT_EQ(status.st_mode & 07777, 0640u) << name;
    }
}

TEST(Output, a_failed_write_reports_the_reason_and_leaves_nothing) {
    const test::TempDir dir;
    EXPECT_EQ(code_of("/dev/full"), ENOSPC);
    EXPECT_EQ(code_of(dir.path()), EISDIR);
    EXPECT_EQ(code_of(dir / "absent/file"), ENOENT);
    dir.write("file", "");
    EXPECT_EQ(code_of(dir / "file/below"), ENOTDIR);
    const std::filesystem::directory_iterator left(dir.path());
    EXPECT_EQ(std::distance(begin(left), end(left)), 1);
}

TEST(Output, dash_is_no_file) {
    ::testing::internal::CaptureStdout();
    write_output("-", "text");
    EXPECT_EQ(::testing::internal::GetCapturedStdout(), "text");
    EXPECT_FALSE(std::filesystem::exists("-"));
}

TEST(Output, an_unwritable_file_is_named) {
    const test::TempDir dir;
    try {
        write_output(dir / "absent/file", "text");
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find(dir / "absent/file"), std::string::npos) << error.what();
    }
}

TEST(OutputStream, makes_no_file_until_there_is_something_to_write) {
    const test::TempDir dir;
    dir.write("old", "what was there");
    { const OutputStream unused(dir / "new"), unused_too(dir / "old"); }
    EXPECT_FALSE(std::filesystem::exists(dir / "new"));
    EXPECT_EQ(read_file(dir / "old"), "what was there");
}

TEST(OutputStream, replaces_the_file_with_the_first_piece_and_adds_the_others) {
    const test::TempDir dir;
    dir.write("file", "what was there, which is longer");
    const Fd reader = open_file(dir / "file", O_RDONLY);
    OutputStream stream(dir / "file");
    stream.write("one ");
    EXPECT_EQ(read_file(dir / "file"), "one ");
    stream.write("two");
    EXPECT_EQ(read_file(dir / "file"), "one two");
    EXPECT_EQ(read_fd(reader.get(), "file"), "what was there, which is longer");
    const std::filesystem::directory_iterator left(dir.path());
    EXPECT_EQ(std::distance(begin(left), end(left)), 1);
}

TEST(OutputStream, reports_a_file_that_cannot_be_made_at_once) {
    const test::TempDir dir;
    for (const std::string& path : {dir.path(), dir / "absent/file"})
        EXPECT_THROW(OutputStream{path}, Error);
}

}  // namespace op::tool
