// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/source/image_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "daemon/source/proc_scan.h"
#include "libop/base/build_id.h"
#include "libop/base/fd.h"
#include "libop/base/text.h"
#include "tests/unit/temp_dir.h"

namespace op::collect {
namespace {

/// A file that this process has mapped executable, and what its maps file has about it.
class MappedImageFile : public ::testing::Test {
protected:
    MappedImageFile() {
        const Fd fd = open_regular(path_);
        memory_ = ::mmap(nullptr, page_, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd.get(), 0);
    }
    ~MappedImageFile() override { ::munmap(memory_, page_); }

    void SetUp() override {
        ASSERT_NE(memory_, MAP_FAILED);
        const std::string maps = read_file("/proc/self/maps");
        for (const MapsLine& line : parse_maps(maps))
            if (line.path == path_) facts_.id = line.file;
        ASSERT_TRUE(facts_.id.is_known());
    }
    /// True if this process may open mapped files without a name (proc(5), /proc/PID/map_files).
    bool may_open_mappings() const {
        const auto start = reinterpret_cast<uintptr_t>(memory_);
        const std::string link = "/proc/self/map_files/" + hex(start) + "-" + hex(start + page_);
        return Fd(::open(link.c_str(), O_RDONLY | O_CLOEXEC)).get() >= 0;
    }
    /// False on tmpfs, btrfs, overlays: there stat(2) and mappings may differ in device and inode.
    bool has_device() const {
        struct stat st {};
        return ::stat(path_.c_str(), &st) == 0 && major(st.st_dev) != 0;
    }

    const size_t page_ = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
    test::TempDir dir_;
    std::string path_ = dir_.write("mapped", "one");
    void* memory_ = MAP_FAILED;
    MappedFileFacts facts_{static_cast<uint32_t>(::getpid()), path_};
    uint64_t now_ = 100'000'000'000;  ///< ns
    SearchLimit limit_{[this] { return now_; }};
};

TEST_F(MappedImageFile, is_found_at_its_path) {
    const auto found = find_image_file(facts_, limit_);
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->is_here);
    EXPECT_FALSE(found->is_deleted);
    EXPECT_EQ(found->root, "");
    EXPECT_NE(found->mtime, 0u);
}

TEST_F(MappedImageFile, is_found_behind_a_link_of_its_own_when_another_file_has_its_path) {
    if (!may_open_mappings()) GTEST_SKIP() << "this process may not open /proc/self/map_files";
    std::filesystem::rename(dir_.write("new", "another"), path_);
    const auto found = find_image_file(facts_, limit_);
    ASSERT_TRUE(found);
    EXPECT_FALSE(found->is_here);
    EXPECT_TRUE(found->is_deleted);
    EXPECT_EQ(read_fd(found->fd.get(), "mapped"), "one");
}

TEST_F(MappedImageFile, in_an_area_that_was_split_is_searched_for_as_far_as_the_limit_goes) {
    if (!may_open_mappings()) GTEST_SKIP() << "this process may not open /proc/self/map_files";
    facts_.start = reinterpret_cast<uintptr_t>(memory_);
    facts_.end = facts_.start + 2 * page_;  // the second page has gone since
    std::filesystem::rename(dir_.write("new", "another"), path_);
    const uint64_t before = limit_.left();
    EXPECT_TRUE(find_image_file(facts_, limit_));
    EXPECT_LT(limit_.left(), before) << "it is charged";
    limit_.charge(uint64_t{1} << 40);
    EXPECT_FALSE(find_image_file(facts_, limit_));
    facts_.end = facts_.start + page_;
    EXPECT_TRUE(find_image_file(facts_, limit_)) << "which takes no search";
}

TEST(SearchLimit, saves_up_two_seconds) {
    constexpr uint64_t second = 1'000'000'000;
    uint64_t now = 100 * second;
    SearchLimit limit([&] { return now; });
    EXPECT_EQ(limit.left(), 8'000'000u);
    limit.charge(9'000'000);
    EXPECT_EQ(limit.left(), 0u);
    now += second / 2;
    EXPECT_EQ(limit.left(), 1'000'000u);
    now += 100 * second;
    EXPECT_EQ(limit.left(), 8'000'000u);
}

TEST_F(MappedImageFile, behind_its_link_is_not_another_inode_of_the_same_device) {
    if (!may_open_mappings()) GTEST_SKIP() << "this process may not open /proc/self/map_files";
    if (!has_device()) GTEST_SKIP() << "the file system of " << dir_.path() << " has no device of its own";
    facts_.start = reinterpret_cast<uintptr_t>(memory_);
    facts_.end = facts_.start + page_;
    ++facts_.id.inode;
    EXPECT_FALSE(find_image_file(facts_, limit_));
}

/// A file that was copied up in an overlay: the mapping has the inode of the upper file.
TEST_F(MappedImageFile, is_found_behind_its_link_where_mappings_have_other_numbers_than_stat) {
    if (!may_open_mappings()) GTEST_SKIP() << "this process may not open /proc/self/map_files";
    facts_.start = reinterpret_cast<uintptr_t>(memory_);
    facts_.end = facts_.start + page_;
    facts_.id = {makedev(0, 99), facts_.id.inode + 1};
    const auto found = find_image_file(facts_, limit_);
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->is_here);
    facts_.path = dir_ / "another";
    EXPECT_FALSE(find_image_file(facts_, limit_)) << "the process may have another file there now";
}

TEST_F(MappedImageFile, is_not_found_when_its_process_is_not_known) {
    std::filesystem::rename(dir_.write("new", "another"), path_);
    facts_.tgid = 0;
    EXPECT_FALSE(find_image_file(facts_, limit_));
    facts_.tgid = 0x7ffffff0;
    EXPECT_FALSE(find_image_file(facts_, limit_));
}

TEST_F(MappedImageFile, is_not_the_next_file_that_got_its_inode) {
    const auto found = find_image_file(facts_, limit_);
    ASSERT_TRUE(found);
    if (found->id.generation == 0) GTEST_SKIP() << "the file system does not number generations of inodes";
    facts_.id.generation = found->id.generation;
    EXPECT_TRUE(find_image_file(facts_, limit_));
    ++facts_.id.generation;
    EXPECT_FALSE(find_image_file(facts_, limit_));
}

TEST_F(MappedImageFile, that_changed_since_is_certain_only_while_it_is_mapped) {
    const auto found = find_image_file(facts_, limit_);
    ASSERT_TRUE(found);
    facts_.tgid = 0;
    facts_.mapped = found->changed;
    EXPECT_TRUE(find_image_file(facts_, limit_));
    --facts_.mapped;
    EXPECT_FALSE(find_image_file(facts_, limit_));
    if (!may_open_mappings()) GTEST_SKIP() << "this process may not open /proc/self/map_files";
    facts_.tgid = static_cast<uint32_t>(::getpid());
    const auto again = find_image_file(facts_, limit_);
    ASSERT_TRUE(again);
    EXPECT_TRUE(again->is_here);
}

TEST_F(MappedImageFile, of_another_build_id_is_not_taken) {
    facts_.build_id = "abcd";
    EXPECT_FALSE(find_image_file(facts_, limit_));
}

TEST_F(MappedImageFile, is_followed_through_its_name_alone_if_nothing_else_is_known) {
    facts_.id = {};
    facts_.tgid = 0;
    EXPECT_TRUE(find_image_file(facts_, limit_));
}

TEST(RealName, may_end_like_a_mark_of_deletion) {
    const test::TempDir dir;
    const std::string path = dir.write("x (deleted)", "");
    struct stat st {};
    ASSERT_EQ(::stat(path.c_str(), &st), 0);
    // The device of a mapping differs from that of stat(2) on some file systems: without a number it fits.
    const FileIdentity own{makedev(0, 1), st.st_ino}, other{makedev(0, 1), st.st_ino + 1};
    EXPECT_TRUE(is_real_name({static_cast<uint32_t>(::getpid()), path, own}));
    EXPECT_FALSE(is_real_name({0, path, other}));
    EXPECT_FALSE(is_real_name({0, dir / "y (deleted)", own}));
    EXPECT_FALSE(is_real_name({0, path})) << "anybody may make such a file beside a deleted one";
}

TEST(RealName, of_a_mapping_without_an_inode_is_that_of_a_file_of_its_build) {
    const test::TempDir dir;
    const std::string path = dir / "x (deleted)";
    std::filesystem::copy_file("/bin/sleep", path);
    const std::string build_id = build_id_of_fd(open_regular(path));
    if (build_id.empty()) GTEST_SKIP() << "/bin/sleep has no build-id";
    EXPECT_TRUE(is_real_name({0, path, {}, build_id}));
    EXPECT_FALSE(is_real_name({0, path, {}, "abcd"}));
}

TEST(Root, of_this_process_needs_no_description) {
    EXPECT_EQ(describe_root(static_cast<uint32_t>(::getpid())), "");
    EXPECT_EQ(describe_root(0x7ffffff0), "");
}

}  // namespace
}  // namespace op::collect
