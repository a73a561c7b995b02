// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/collect/sample_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/unit/temp_dir.h"

namespace op::collect {
namespace {

using Texts = std::vector<std::string>;

class SampleFilesTest : public ::testing::Test {
protected:
    SampleFilesTest() : session_(dir_.path(), false, notes_) {
        session_.begin(false);
        info_.cpu_type = 4;
        info_.cpu_speed_mhz = 1500;
        info_.events = {{"TIMER", 7, 1000}, {"OTHER", 8, 5000, 3}};
        info_.events.push_back({"TIMER", 7, 1000, 0, true, false});
    }

    SampleFiles files(size_t limit = 100) { return {session_, info_, names_, images_, limit, notes_}; }
    ImageRef image(std::string_view path) { return ImageRef::file(names_.intern(path)); }
    FileKey key(std::string_view path, uint16_t event = 0) {
        FileKey key;
        key.event = event;
        key.app = key.image = image(path);
        return key;
    }
    FileKey kernel_key(std::string_view module) {
        FileKey key;
        key.app = key.image = {names_.intern(module), RegionKind::kernel, 0, {}, {}};
        return key;
    }
    FileKey arc(std::string_view from, std::string_view to) {
        FileKey key = this->key(from);
        key.callee = image(to);
        return key;
    }
    /// All sample files with their total, in samples.
    Texts on_disk() {
        const SessionReader reader(session_.current_path());
        Texts lines;
        for (const std::string& path : reader.list())
            lines.push_back(path + " " + std::to_string(reader.read(path, notes_).total));
        return lines;
    }
    /// Puts files where the directories of these images' samples would have to be.
    void block_files() {
        for (const char* name : {"bin", "lib"})
            dir_.write("samples/current/{root}/" + std::string(name), "");
    }
    void unblock_files() { std::filesystem::remove_all(dir_ / "samples/current/{root}"); }

    test::TempDir dir_;
    Diagnostics notes_;
    SessionWriter session_;
    SessionInfo info_;
    StringTable names_;
    KnownImages images_{names_, false};
};

constexpr const char* file_of_app = "{root}/bin/app/{dep}/{root}/bin/app/TIMER.1000.0.all.all.all";

}  // namespace

TEST_F(SampleFilesTest, a_key_has_one_file_as_long_as_it_is_open) {
    SampleFiles files = this->files();
    SampleFile* const file = files.get(key("/bin/app"));
    ASSERT_TRUE(file);
    const uint32_t generation = files.generation();
    EXPECT_NE(files.get(key("/bin/other")), file);
    EXPECT_EQ(files.get(key("/bin/app")), file);
    EXPECT_EQ(files.generation(), generation) << "none was closed";
}

TEST_F(SampleFilesTest, a_file_bears_image_event_and_what_is_separated) {
    SampleFiles files = this->files();
    FileKey separated = key("/bin/app", 1);
    separated.tgid = 70;
    separated.tid = 71;
    separated.cpu = 2;
    files.get(separated)->add(1);
    files.flush_and_count();
    EXPECT_EQ(on_disk(), Texts{"{root}/bin/app/{dep}/{root}/bin/app/OTHER.5000.3.70.71.2 1"});
    const SessionReader reader(session_.current_path());
    const SampleHeader header = reader.read(reader.list().at(0), notes_).header;
    EXPECT_EQ(header.event_code, 8u);
    EXPECT_EQ(header.count, 5000u);
    EXPECT_EQ(header.unit_mask, 3u);
    EXPECT_EQ(header.cpu_speed_mhz, 1500);
}

TEST_F(SampleFilesTest, events_that_differ_in_their_modes_only_share_a_file) {
    SampleFiles files = this->files();
    SampleFile* const file = files.get(key("/bin/app", 0));
    EXPECT_EQ(files.get(key("/bin/app", 2)), file);
    file->add(1);
    EXPECT_EQ(files.flush_and_count().samples.stored, 1u) << "counted once, though two keys select it";
}

TEST_F(SampleFilesTest, samples_and_arcs_are_added_up_apart_and_over_closed_files) {
    SampleFiles files = this->files();
    files.get(key("/bin/app"))->add(1, 5);
    files.get(arc("/bin/app", "/lib/libc.so"))->add(1, 3);
    EXPECT_EQ(files.flush_and_count().samples.stored, 5u);
    files.close_all();
    files.get(key("/bin/app"))->add(2, 2);
    const StoredCounts counts = files.flush_and_count();
    EXPECT_EQ(counts.samples.stored, 7u);
    EXPECT_EQ(counts.arcs.stored, 3u);
}

TEST_F(SampleFilesTest, closed_files_are_opened_again_with_what_they_hold) {
    SampleFiles files = this->files();
    files.get(key("/bin/app"))->add(1);
    const uint32_t generation = files.generation();
    files.close_all();
    EXPECT_NE(files.generation(), generation);
    files.get(key("/bin/app"))->add(1);
    files.flush_and_count();
    EXPECT_EQ(on_disk(), Texts{std::string(file_of_app) + " 2"});
}

TEST_F(SampleFilesTest, counts_begin_at_0_once_forgotten) {
    SampleFiles files = this->files();
    files.get(key("/bin/app"))->add(1);
    files.close_all();
    files.begin_run();
    EXPECT_EQ(files.flush_and_count().samples.stored, 0u);
}

TEST_F(SampleFilesTest, the_least_recently_used_file_makes_room_and_its_samples_are_kept) {
    SampleFiles files = this->files(2);
    SampleFile* const first = files.get(key("/bin/a"));
    first->add(1);
    files.get(key("/bin/b"))->add(1);
    EXPECT_EQ(files.get(key("/bin/a")), first);
    files.get(key("/bin/c"))->add(1);
    const uint32_t generation = files.generation();
    EXPECT_EQ(files.get(key("/bin/a")), first) << "used more recently than /bin/b";
    EXPECT_EQ(files.generation(), generation);
    files.get(key("/bin/b"))->add(1);
    EXPECT_NE(files.generation(), generation);
    EXPECT_EQ(files.flush_and_count().samples.stored, 4u);
    EXPECT_EQ(on_disk().size(), 3u);
}

TEST_F(SampleFilesTest, a_file_that_cannot_be_opened_is_noted_once_and_not_tried_for_each_sample) {
    SampleFiles files = this->files();
    block_files();
    EXPECT_EQ(files.get(key("/bin/a")), nullptr);
    EXPECT_EQ(files.failure(), LossCause::sample_file);
    EXPECT_EQ(files.get(key("/lib/b")), nullptr);
    EXPECT_EQ(notes_.warnings().size(), 1u);
    unblock_files();
    EXPECT_EQ(files.get(key("/bin/a")), nullptr) << "not tried again";
    EXPECT_EQ(files.flush_and_count().samples.stored, 0u);
}

TEST_F(SampleFilesTest, files_that_cannot_be_opened_take_no_place_of_open_ones) {
    SampleFiles files = this->files(2);
    SampleFile* const open[] = {files.get(kernel_key("ext4")), files.get(kernel_key("xfs"))};
    const uint32_t generation = files.generation();
    block_files();
    for (const char* path : {"/bin/c", "/bin/d", "/bin/e"})
        EXPECT_EQ(files.get(key(path)), nullptr);
    EXPECT_EQ(files.generation(), generation);
    EXPECT_EQ(files.get(kernel_key("ext4")), open[0]);
    EXPECT_EQ(files.get(kernel_key("xfs")), open[1]);
    unblock_files();
    EXPECT_EQ(files.get(key("/bin/e")), nullptr);
    EXPECT_NE(files.get(key("/bin/c")), nullptr) << "others were asked for meanwhile";
}

TEST_F(SampleFilesTest, what_could_not_be_opened_is_tried_and_noted_again_once_forgotten) {
    SampleFiles files = this->files();
    SampleFile* const kept = files.get(kernel_key("ext4"));
    block_files();
    EXPECT_EQ(files.get(key("/bin/a")), nullptr);
    files.forget_unopened();
    EXPECT_EQ(files.get(key("/lib/b")), nullptr);
    EXPECT_EQ(notes_.warnings().size(), 2u);
    files.forget_unopened();
    unblock_files();
    EXPECT_NE(files.get(key("/bin/a")), nullptr);
    EXPECT_EQ(files.get(kernel_key("ext4")), kept) << "open files stay open";
}

TEST_F(SampleFilesTest, a_name_that_cannot_be_spelled_loses_its_samples_without_harm) {
    SampleFiles files = this->files();
    EXPECT_EQ(files.get(key("/bin/../app")), nullptr);
    EXPECT_EQ(files.failure(), LossCause::sample_file);
    EXPECT_NE(files.get(key("/bin/app")), nullptr);
}

}  // namespace op::collect
