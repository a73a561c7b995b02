// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/collect/known_images.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <functional>

#include "libop/base/build_id.h"
#include "libop/base/clock.h"
#include "tests/unit/temp_dir.h"

namespace op::collect {
namespace {

TEST(KnownImages, a_use_without_a_mapping_keeps_the_mapping_of_its_process) {
    StringTable names;
    KnownImages images(names, true);
    ImagePool pool;
    const Region region{{0x1000}, {0x2000}, 0, pool.get_file("/nowhere/a", {8, 5}, {}), RegionKind::file};
    const ImageRef image = images.of(region, 7);
    const MappedFileFacts* const facts = images.note_used(image, {7});
    ASSERT_NE(facts, nullptr);
    EXPECT_EQ(facts->start, 0x1000u);
    EXPECT_EQ(facts->end, 0x2000u);
}

/// A file without a build-id whose inode the kernel's record had.
class KnownProgram : public ::testing::Test {
protected:
    KnownProgram() : path_(dir_.write("program", "one")), image_(image()) {}

    struct stat status() const {
        struct stat st {};
        EXPECT_EQ(::stat(path_.c_str(), &st), 0);
        return st;
    }
    ImagePtr image() {
        const auto st = status();
        return pool_.get_file(path_, {st.st_dev, st.st_ino}, {});
    }
    /// Acts until the change time of the file is another one.
    void change(const std::function<void()>& act) const {
        for (const int64_t before = status().st_ctim.tv_nsec; status().st_ctim.tv_nsec == before;)
            act();
    }

    const test::TempDir dir_;
    const std::string path_;
    StringTable names_;
    KnownImages images_{names_, true};
    ImagePool pool_;
    const ImagePtr image_;
};

TEST_F(KnownProgram, a_file_is_looked_at_again_only_if_it_was_mapped_after_the_last_look) {
    images_.of_file(image_, 7);
    const uint64_t mapped = sample_clock_ns();
    EXPECT_FALSE(images_.has_changed(*image_, 8, mapped));
    change([&] { dir_.write("program", "two"); });
    EXPECT_FALSE(images_.has_changed(*image_, 8, mapped));
    EXPECT_TRUE(images_.has_changed(*image_, 8, sample_clock_ns()));
}

TEST_F(KnownProgram, a_look_at_a_file_that_is_not_there_shows_nothing) {
    images_.of_file(image_, 0);
    std::filesystem::rename(path_, dir_ / "away");
    const uint64_t mapped = sample_clock_ns();
    EXPECT_FALSE(images_.has_changed(*image_, 0, mapped));
    std::filesystem::rename(dir_ / "away", path_);
    change([&] { dir_.write("program", "two"); });
    EXPECT_TRUE(images_.has_changed(*image_, 0, mapped));
}

TEST(KnownImages, the_row_of_the_other_builds_never_belongs_to_one) {
    const test::TempDir dir;
    const std::string path = dir / "program", other = path + "@other";
    StringTable names;
    KnownImages images(names, true);
    ImagePool pool;
    for (uint8_t i = 0; i < 64; ++i) {
        const std::byte id[] = {std::byte{0}, std::byte{i}};
        images.of_file(pool.get_file(path, {}, id), 0);
    }
    const std::string hex_id = build_id_of_fd(open_regular("/bin/sleep"));
    if (hex_id.empty()) GTEST_SKIP() << "/bin/sleep has no build-id";
    std::vector<std::byte> id;
    for (size_t i = 0; i + 1 < hex_id.size(); i += 2)
        id.push_back(static_cast<std::byte>(std::stoi(hex_id.substr(i, 2), nullptr, 16)));
    const ImageRef missing = images.of_file(pool.get_file(path, {}, id), 0);
    ASSERT_EQ(names.text(missing.name), other);
    std::filesystem::copy_file("/bin/sleep", path);
    struct stat st {};
    ASSERT_EQ(::stat(path.c_str(), &st), 0);
    ImagePool later;
    images.note_used(images.of_file(later.get_file(path, {st.st_dev, st.st_ino}, id), 0), {0});
    SessionInfo info;
    images.describe(info);
    EXPECT_TRUE(info.images.at(other).several_builds);
    EXPECT_FALSE(info.images.at(other).elsewhere) << "it was found";
    EXPECT_EQ(info.images.at(other).path, path);
}

TEST_F(KnownProgram, a_file_of_another_mode_or_with_another_link_is_the_same_if_its_content_is) {
    const ImageRef first = images_.of_file(image_, 0);
    mode_t mode = 0700;
    int links = 0;
    const std::function<void()> acts[] = {
        [&] { ::chmod(path_.c_str(), mode ^= 0100); },
        [&] { std::filesystem::create_hard_link(path_, dir_ / ("link" + std::to_string(links++))); }};
    for (const auto& act : acts) {
        change(act);
        EXPECT_FALSE(images_.has_changed(*image_, 0, sample_clock_ns()));
        pool_.forget(*image_);
        EXPECT_EQ(images_.of_file(image(), 0), first);
    }
    change([&] { dir_.write("program", "two"); });
    EXPECT_TRUE(images_.has_changed(*image_, 0, sample_clock_ns()));
}

TEST(KnownImages, a_program_with_a_new_link_is_the_same_by_its_build_id_and_another_build_is_not) {
    const std::string builds[] = {"/bin/sleep", "/bin/cat"};
    for (const std::string& build : builds)
        if (build_id_of_file(build).empty()) GTEST_SKIP() << build << " has no build-id";
    const test::TempDir dir;
    const std::string path = dir / "program";
    std::filesystem::copy_file(builds[0], path);
    struct stat st {};
    ASSERT_EQ(::stat(path.c_str(), &st), 0);
    StringTable names;
    KnownImages images(names, true, {.bytes_for_checksums = 0});
    ImagePool pool;
    const ImagePtr image = pool.get_file(path, {st.st_dev, st.st_ino}, {});
    images.of_file(image, 0);
    std::filesystem::create_hard_link(path, dir / "backup");
    EXPECT_FALSE(images.has_changed(*image, 0, sample_clock_ns()));
    std::filesystem::copy_file(builds[1], path, std::filesystem::copy_options::overwrite_existing);
    EXPECT_TRUE(images.has_changed(*image, 0, sample_clock_ns())) << "in the same inode";
}

TEST(KnownFile, a_long_file_is_the_same_if_both_ends_are_and_it_was_not_written_to) {
    KnownFile one{{.path = "/a"}};
    one.is_found = true;
    one.id = {8, 5};
    one.changed = 1;
    one.recorded.mtime = 7;
    one.recorded.size = 2 * checksum_bytes;
    one.recorded.checksum = 99;
    KnownFile linked = one;
    linked.changed = 2;
    EXPECT_TRUE(one.is_same(linked));
    KnownFile written = linked;
    written.recorded.mtime = 8;
    EXPECT_FALSE(one.is_same(written));
    KnownFile other = linked;
    other.recorded.checksum = 98;
    EXPECT_FALSE(one.is_same(other));
    KnownFile unread = linked;
    unread.recorded.checksum = 0;
    EXPECT_FALSE(one.is_same(unread));
}

TEST(KnownImages, a_file_is_read_for_its_checksum_once) {
    const test::TempDir dir;
    const std::string one = dir.write("one", "12345"), two = dir.write("two", "12345");
    StringTable names;
    KnownImages images(names, true, {.bytes_for_checksums = 12});
    for (int i = 0; i < 3; ++i) {
        images.take(ImageCookie{1, false, 0, {0}, 0, 0, 0, one});
        images.note_used(*images.find(1), {0});
    }
    images.take(ImageCookie{2, false, 0, {0}, 0, 0, 0, two});
    images.note_used(*images.find(2), {0});
    SessionInfo info;
    images.describe(info);
    EXPECT_EQ(info.images.at(one).checksum, 0xcbf53a1c);
    EXPECT_EQ(info.images.at(two).checksum, 0xcbf53a1c);
}

TEST(KnownImages, a_known_checksum_stays_when_a_look_brings_none) {
    const test::TempDir dir;
    const std::string path = dir.write("program", "12345");
    struct stat st {};
    ASSERT_EQ(::stat(path.c_str(), &st), 0);
    StringTable names;
    KnownImages images(names, true, {.bytes_for_checksums = 0});
    SessionInfo earlier, info;
    earlier.images[path] = {.mtime = static_cast<uint64_t>(st.st_mtim.tv_sec), .size = 5, .checksum = 7};
    images.add_earlier(earlier);
    ImagePool pool;
    images.note_used(images.of_file(pool.get_file(path, {st.st_dev, st.st_ino}, {}), 0), {0});
    images.describe(info);
    EXPECT_EQ(info.images.at(path).checksum, 7u);
}

TEST(KnownImages, the_oldest_cookies_are_forgotten) {
    constexpr uint32_t living = 3 << 14, most = living + (1 << 14);
    StringTable names;
    KnownImages images(names, false);
    for (uint32_t i = 1; i <= most + 1; ++i)
        images.take(ImageCookie{i, false, 0, {0}, 0, 0, 0, "/x"});
    EXPECT_TRUE(images.path(most - living).empty());
    EXPECT_EQ(images.path(most + 1 - living), "/x");
}

}  // namespace
}  // namespace op::collect
