// SPDX-License-Identifier: GPL-2.0-or-later
#include "utils/shared/tree_writer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "libop/base/error.h"
#include "tests/unit/temp_dir.h"

namespace op::tool {

namespace {

namespace fs = std::filesystem;

bool is_refused(TreeWriter& tree, const std::string& path) {
    try {
        tree.write(path, "x");
    } catch (const Error&) {
        return true;
    }
    return false;
}

}  // namespace

TEST(TreeWriter, makes_directories_as_needed) {
    const test::TempDir dir;
    TreeWriter tree(dir / "new/top");
    tree.write("/usr/bin/a", "first");
    tree.write("usr//bin/./a", "second");
    EXPECT_EQ(read_file(dir / "new/top/usr/bin/a"), "second");
}

TEST(TreeWriter, takes_names_away_by_dots_as_long_as_they_are_its_own) {
    const test::TempDir dir;
    TreeWriter tree(dir / "top");
    tree.write("./string/../sysdeps/x86/x.c", "first");
    tree.write("/a/b/../../c", "second");
    EXPECT_EQ(read_file(dir / "top/sysdeps/x86/x.c"), "first");
    EXPECT_EQ(read_file(dir / "top/c"), "second");
    EXPECT_FALSE(fs::exists(dir / "top/string"));
}

TEST(TreeWriter, writes_nowhere_else) {
    const test::TempDir dir;
    fs::create_directories(dir / "top");
    fs::create_directory(dir / "elsewhere");
    fs::create_directory_symlink(dir / "elsewhere", dir / "top/link");
    fs::create_symlink(dir / "elsewhere/target", dir / "top/file");
    TreeWriter tree(dir / "top");
    for (const char* path :
         {"../a", "a/../../a", "/../a", "//a/../../a", "a/..", "link/../../a", "..", "", "/", ".", "link/a"})
        EXPECT_TRUE(is_refused(tree, path)) << path;
    tree.write("file", "x");  // replaces the link
    EXPECT_TRUE(fs::is_empty(dir / "elsewhere"));
    EXPECT_FALSE(fs::is_symlink(dir / "top/file"));
    EXPECT_THROW(TreeWriter("/"), Error);
}

TEST(TreeWriter, names_the_file_that_cannot_be_written) {
    const test::TempDir dir;
    fs::create_directories(dir / "top/a/b.c");
    TreeWriter tree(dir / "top");
    try {
        tree.write("./x/../a/b.c", "x");
        ADD_FAILURE() << "written over a directory";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find(dir / "top/a/b.c"), std::string::npos) << error.what();
    }
}

TEST(TreeWriter, is_not_standard_output) {
    EXPECT_THROW(TreeWriter("-"), Error);
}

TEST(TreeWriter, copies_mode_and_modification_time) {
    const test::TempDir dir;
    const std::string source = dir.write("source", "content");
    fs::permissions(source, fs::perms::owner_all);
    fs::last_write_time(source, fs::file_time_type(std::chrono::hours(1)));
    TreeWriter tree(dir / "top");
    tree.copy(open_file(source, O_RDONLY), source, "/bin/copy");
    EXPECT_EQ(read_file(dir / "top/bin/copy"), "content");
    EXPECT_EQ(fs::status(dir / "top/bin/copy").permissions(), fs::perms::owner_all);
    EXPECT_EQ(fs::last_write_time(dir / "top/bin/copy"), fs::last_write_time(source));
}

TEST(TreeWriter, a_copy_has_the_holes_of_its_file) {
    const test::TempDir dir;
    constexpr uint64_t size = uint64_t{1} << 40;
    const std::string source = dir.write("sparse", "head");
    std::error_code error;
    fs::resize_file(source, size, error);
    if (error || ::lseek(open_file(source, O_RDONLY).get(), 1 << 20, SEEK_DATA) >= 0)
        GTEST_SKIP() << "no such holes on this file system";
    std::fstream(source, std::ios::in | std::ios::out).seekp(1 << 30).write("middle", 6);
    TreeWriter tree(dir / "top");
    tree.copy(open_file(source, O_RDONLY), source, "copy");
    struct stat st {};
    ASSERT_EQ(::stat((dir / "top/copy").c_str(), &st), 0);
    EXPECT_EQ(static_cast<uint64_t>(st.st_size), size);
    EXPECT_LT(st.st_blocks, 4096) << "of 512 bytes";
    std::string text(10, '\0');
    std::ifstream copy(dir / "top/copy");
    copy.read(text.data(), 4).seekg(1 << 30).read(text.data() + 4, 6);
    EXPECT_EQ(text, "headmiddle");
}

TEST(TreeWriter, zeros_that_are_written_out_become_a_hole) {
    const test::TempDir dir;
    const std::string content = "x" + std::string(8 << 20, '\0') + "y" + std::string(1 << 20, '\0');
    const std::string source = dir.write("zeros", content);
    TreeWriter tree(dir / "top");
    tree.copy(open_file(source, O_RDONLY), source, "copy");
    EXPECT_EQ(read_file(dir / "top/copy"), content);
    struct stat st {};
    ASSERT_EQ(::stat((dir / "top/copy").c_str(), &st), 0);
    EXPECT_LT(st.st_blocks, 2048) << "of 512 bytes";
}

TEST(TreeWriter, copies_what_was_asked_for_of_a_file_that_is_longer) {
    const test::TempDir dir;
    const std::string source = dir.write("source", "checked, then added");
    TreeWriter tree(dir / "top");
    tree.copy(open_file(source, O_RDONLY), source, "copy", 7);
    EXPECT_EQ(read_file(dir / "top/copy"), "checked");
}

}  // namespace op::tool
