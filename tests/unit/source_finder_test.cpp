// SPDX-License-Identifier: GPL-2.0-or-later
#include "utils/source_finder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "libop/base/fd.h"
#include "tests/unit/temp_dir.h"

namespace op::tool {

namespace {

/// The content of the source found; "none" if none is.
std::string found(const SourceFinder& finder, const std::string& recorded) {
    const auto source = finder.read(recorded);
    return source ? source->text : "none";
}

}  // namespace

TEST(SourceFinder, looks_for_the_whole_path_first_and_for_ends_of_it_last) {
    const test::TempDir dir;
    const std::string recorded = dir.write("build/a/x.c", "recorded");
    dir.write("tree/x.c", "last name");
    const SourceFinder finder("", {dir / "absent", dir / "tree"}, {});
    EXPECT_EQ(found(finder, recorded), "recorded");
    dir.write("tree" + recorded, "whole path");
    EXPECT_EQ(found(finder, recorded), "whole path");
    EXPECT_EQ(found(finder, "/gone/a/x.c"), "last name");
    dir.write("tree/a/x.c", "two names");
    EXPECT_EQ(found(finder, "/gone/a/x.c"), "two names");
    EXPECT_EQ(found(finder, "x.c"), "last name");
    EXPECT_EQ(found(finder, "/gone/y.c"), "none");
}

TEST(SourceFinder, strips_base_directories) {
    const test::TempDir dir;
    dir.write("tree/a/x.c", "stripped");
    dir.write("tree/x.c", "last name");
    EXPECT_EQ(found(SourceFinder("", {dir / "tree"}, {"/build/"}), "/build/a/x.c"), "stripped");
}

TEST(SourceFinder, does_not_leave_the_search_directories_by_an_end_of_a_path) {
    const test::TempDir dir;
    dir.write("secret.c", "outside");
    dir.write("tree/z", "");
    dir.write("tree/a/y.c", "");
    for (const char* path : {"/gone/../secret.c", "../secret.c", "/b/a/../../../secret.c"})
        EXPECT_EQ(found(SourceFinder("", {dir / "tree"}, {}), path), "none") << path;
}

TEST(SourceFinder, reads_neither_devices_nor_files_that_wait_or_are_huge) {
    const test::TempDir dir;
    const auto refusal = [](const std::string& path) {
        const auto source = SourceFinder("", {}, {}).read(path);
        return source ? source->text + source->refusal : "none";
    };
    ASSERT_EQ(::mkfifo((dir / "fifo.c").c_str(), 0600), 0);
    EXPECT_EQ(refusal(dir / "fifo.c"), "it is not a regular file");
    EXPECT_EQ(refusal("/dev/zero"), "it is not a regular file");
    EXPECT_EQ(refusal("/proc/self/status"), "its size is 0") << "as /proc/kmsg, whose reader waits";
    std::filesystem::resize_file(dir.write("sparse.c", ""), uint64_t{1} << 40);
    EXPECT_EQ(refusal(dir / "sparse.c"), "it is larger than 64 MiB");
    std::filesystem::resize_file(dir / "sparse.c", (64 << 20) + 1);
    EXPECT_EQ(refusal(dir / "sparse.c"), "it is larger than 64 MiB");
    EXPECT_EQ(refusal(dir.write("small.c", "int x;\n")), "int x;\n");
    EXPECT_EQ(refusal(dir.path()), "none") << "a directory is no source";
}

TEST(SourceFinder, of_a_refused_file_in_an_archive_the_reason_is_kept) {
    const test::TempDir dir;
    ASSERT_EQ(::mkfifo((dir / "fifo.c").c_str(), 0600), 0);
    const auto source = SourceFinder(dir.path(), {}, {}).read("/fifo.c");
    ASSERT_TRUE(source);
    EXPECT_EQ(source->refusal, "it is not a regular file");
    EXPECT_EQ(source_refusal(dir / "fifo.c"), source->refusal);
    EXPECT_EQ(source_refusal(dir / "absent.c"), "");
}

namespace {

/// Of a file in a directory that others cannot enter, in the eyes of a binary of that owner.
std::string fault_of_private(const std::string& name, std::optional<uid_t> owner) {
    const test::TempDir dir;
    const std::string path = dir.write(name, "text");
    return private_source_fault(open_file(path, O_RDONLY), path, owner);
}

}  // namespace

TEST(PrivateSource, is_handed_on_if_it_belongs_to_the_owner_of_the_binary_or_root_does) {
    const uid_t self = ::geteuid(), other = self + 1;
    for (const char* const name : {"a.c", "a.hpp", "a.rs", "a.S"}) {
        EXPECT_EQ(fault_of_private(name, self), "") << name;
        EXPECT_NE(fault_of_private(name, other), "") << name;
        EXPECT_NE(fault_of_private(name, std::nullopt), "") << name;
    }
}

TEST(PrivateSource, is_not_handed_on_without_the_name_of_a_source) {
    for (const char* const name : {"shadow", "id_rsa", ".c", "a.c.key", "c"}) {
        EXPECT_NE(fault_of_private(name, ::geteuid()), "") << name;
        EXPECT_NE(fault_of_private(name, 0), "") << name;
    }
}

TEST(PrivateSource, is_what_the_mode_keeps_from_others_in_a_public_directory) {
    const std::string path = "/etc/shadow";
    struct stat st {};
    if (::geteuid() != 0 || ::stat(path.c_str(), &st) != 0 || (st.st_mode & S_IROTH))
        GTEST_SKIP() << "not root, or no " << path;
    for (const uid_t owner : {0, 12345})
        EXPECT_NE(private_source_fault(open_file(path, O_RDONLY), path, owner), "");
}

TEST(PrivateSource, is_not_what_a_link_makes_look_like_one) {
    const test::TempDir dir;
    const uid_t self = ::geteuid();
    dir.write("key", "secret");
    dir.write("b.c", "text");
    std::filesystem::create_symlink("key", dir / "a.c");
    std::filesystem::create_symlink("b.c", dir / "c.c");
    const auto fault = [&](const char* name) {
        return private_source_fault(open_file(dir / name, O_RDONLY), dir / name, self);
    };
    EXPECT_EQ(fault("a.c"), "it is private, and its name is not that of a source");
    EXPECT_EQ(fault("c.c"), "");
    std::filesystem::create_hard_link(dir / "b.c", dir / "d.c");
    EXPECT_EQ(fault("c.c"), "it is private, and has a second name");
}

TEST(PrivateSource, is_not_what_a_stranger_leads_to) {
    if (::geteuid() != 0) GTEST_SKIP() << "not root";
    constexpr uid_t stranger = 65534;
    const test::TempDir dir;
    const std::string path = dir.write("linked/a.c", "secret"), link = dir / "b.c";
    std::filesystem::create_symlink("linked/a.c", link);
    const auto fault = [](const std::string& name) {
        return private_source_fault(open_file(name, O_RDONLY), name, 0);
    };
    EXPECT_EQ(fault(link), "");
    ASSERT_EQ(::lchown(link.c_str(), stranger, stranger), 0);
    EXPECT_EQ(fault(link), "it is private, and a directory or link of another user leads to it");
    EXPECT_EQ(fault(path), "");
    ASSERT_EQ(::chown((dir / "linked").c_str(), stranger, stranger), 0);
    EXPECT_EQ(fault(path), "it is private, and a directory or link of another user leads to it");
    ASSERT_EQ(::chown((dir / "linked").c_str(), 0, 0), 0);
    std::filesystem::permissions(dir / "linked", std::filesystem::perms::all);
    EXPECT_EQ(fault(path), "it is private, and a directory or link of another user leads to it");
}

}  // namespace op::tool
