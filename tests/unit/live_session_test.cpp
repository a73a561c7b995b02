// SPDX-License-Identifier: GPL-2.0-or-later
#include "utils/optop/live_session.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/unit/temp_dir.h"

namespace op::tool {

namespace {

namespace fs = std::filesystem;
using test::TempDir;

SampleName sample(std::string image) {
    SampleName name;
    name.app.name = name.image.name = std::move(image);
    name.event = "TIMER";
    name.count = 1;
    return name;
}

/// A recording, and somebody who looks at it.
struct LiveSessionTest : ::testing::Test {
    void add(const std::string& image, uint64_t key, uint32_t samples) {
        writer_->open_sample_file(sample(image), {}, notes_).add(key, samples);
    }
    LiveState look() { return session_.look(++time_ * 2); }
    uint64_t sum(const Portion& portion) const {
        uint64_t sum = 0;
        for (const auto& [path, file] : session_.files())
            sum += file.counts.sum(portion);
        return sum;
    }
    uint64_t total() const { return sum({Portion::Kind::since_base}); }
    uint64_t window() const { return sum({Portion::Kind::looks, {session_.looks(), session_.looks()}}); }

    double time_ = 0;
    TempDir dir_;
    Diagnostics notes_;
    std::optional<SessionWriter> writer_{std::in_place, dir_.path(), true, notes_};
    LiveSession session_{dir_.path(), 1};
};

}  // namespace

TEST_F(LiveSessionTest, windows_are_between_looks) {
    EXPECT_FALSE(look().is_there);
    writer_->begin(false);
    add("/bin/a", 1, 10);
    const LiveState first = look();
    EXPECT_TRUE(first.is_there && first.is_recorded && !first.has_restarted);
    EXPECT_EQ(total(), 10U);
    EXPECT_EQ(window(), 0U) << "what was there before came in no window";
    add("/bin/a", 1, 2);
    add("/bin/b", 7, 3);
    EXPECT_FALSE(look().has_restarted);
    EXPECT_EQ(window(), 5U);
    EXPECT_EQ(total(), 15U);
    look();
    EXPECT_EQ(window(), 0U);
    EXPECT_EQ(sum({Portion::Kind::looks, {2, 2}}), 5U) << "an earlier window is kept";
    EXPECT_EQ(total(), 15U);
}

TEST_F(LiveSessionTest, new_files_are_found_in_old_and_new_directories) {
    writer_->begin(false);
    add("/usr/bin/a", 1, 1);
    look();
    for (int i = 0; i < 8; ++i) {
        add("/usr/bin/a" + std::to_string(i), 1, 1);
        add("/opt/" + std::to_string(i) + "/deep/b", 1, 1);
        look();
        ASSERT_EQ(window(), 2U) << i;
    }
}

TEST_F(LiveSessionTest, a_portion_is_of_the_looks_within_its_time) {
    writer_->begin(false);
    add("/bin/a", 1, 10);
    for (int i = 0; i < 100; ++i) {
        add("/bin/a", 1, 1);
        look();
    }
    const Looks minute = session_.looks_between(200 - 60, 200);
    EXPECT_EQ(session_.seconds(minute), 60);
    EXPECT_EQ(sum({Portion::Kind::looks, minute}), 30U);
    EXPECT_EQ(session_.seconds(session_.looks_between(0, 200)), LiveSession::remembered_seconds)
        << "older ones are forgotten";
    EXPECT_TRUE(session_.looks_between(500, 600).is_empty());
}

TEST_F(LiveSessionTest, a_baseline_divides_the_recording) {
    writer_->begin(false);
    add("/bin/a", 1, 10);
    look();
    add("/bin/a", 1, 5);
    look();
    session_.set_base();
    EXPECT_EQ(total(), 0U);
    EXPECT_EQ(window(), 0U);
    add("/bin/a", 1, 1);
    add("/bin/a", 2, 2);
    look();
    EXPECT_EQ(total(), 3U);
    EXPECT_EQ(window(), 3U);
    EXPECT_EQ(sum({Portion::Kind::before_base}), 15U);
    session_.clear_base();
    EXPECT_EQ(total(), 18U);
    EXPECT_FALSE(session_.base_time());
}

TEST_F(LiveSessionTest, a_rotated_or_reset_session_restarts) {
    writer_->begin(false);
    add("/bin/a", 1, 10);
    look();
    session_.set_base();
    writer_->begin(false);
    add("/bin/a", 1, 20);
    EXPECT_TRUE(look().has_restarted);
    EXPECT_EQ(window(), 20U);
    EXPECT_EQ(total(), 20U) << "there is no baseline any more";
    writer_->reset();
    EXPECT_TRUE(look().has_restarted);
    EXPECT_EQ(total(), 0U);
    add("/bin/a", 1, 30);
    look();
    EXPECT_EQ(window(), 30U);
    EXPECT_EQ(total(), 30U);
}

TEST_F(LiveSessionTest, a_file_that_was_begun_again_restarts) {
    writer_->begin(false);
    add("/bin/a", 1, 10);
    add("/bin/b", 1, 1);
    look();
    fs::remove(session_.path() + "/" + mangle(sample("/bin/a")));
    add("/bin/a", 1, 3);
    EXPECT_TRUE(look().has_restarted);
    EXPECT_EQ(window(), 3U);
    EXPECT_EQ(total(), 4U);
}

TEST_F(LiveSessionTest, the_last_counts_stay_when_the_session_is_gone) {
    writer_->begin(false);
    add("/bin/a", 1, 10);
    look();
    fs::remove_all(dir_.path() + "/samples/current");
    EXPECT_FALSE(look().is_there);
    EXPECT_EQ(total(), 10U);
    EXPECT_EQ(window(), 0U);
    writer_.reset();
    EXPECT_FALSE(look().is_recorded);
}

TEST_F(LiveSessionTest, the_last_window_stays_when_the_recording_has_ended) {
    writer_->begin(false);
    add("/bin/a", 1, 10);
    look();
    add("/bin/a", 1, 5);
    writer_.reset();
    for (int i = 0; i < 100; ++i)
        EXPECT_FALSE(look().is_recorded);
    EXPECT_EQ(window(), 5U);
    EXPECT_EQ(sum({Portion::Kind::looks, session_.looks_between(2, 4)}), 5U);
    fs::remove_all(dir_.path() + "/samples/current");
    EXPECT_FALSE(look().is_there);
    EXPECT_EQ(window(), 5U);
}

TEST_F(LiveSessionTest, a_directory_that_vanishes_is_passed_over) {
    writer_->begin(false);
    add("/opt/a/b", 1, 10);
    add("/bin/c", 1, 1);
    look();
    const fs::path opt = session_.path() + "/{root}/opt";
    ASSERT_TRUE(fs::is_directory(opt));
    fs::remove_all(opt);
    std::ofstream(opt) << "a file in its place";
    EXPECT_TRUE(look().has_restarted);
    EXPECT_EQ(total(), 1U);
    fs::remove(opt);
    add("/opt/a/b", 1, 3);
    look();
    EXPECT_EQ(window(), 3U);
    const fs::path samples = dir_.path() + "/samples";
    fs::rename(samples, dir_.path() + "/saved");
    std::ofstream(samples) << "a file in its place";
    EXPECT_FALSE(look().is_there);
    EXPECT_EQ(total(), 4U);
}

TEST_F(LiveSessionTest, a_damaged_file_is_counted_and_keeps_its_last_counts) {
    writer_->begin(false);
    add("/bin/a", 1, 10);
    add("/bin/b", 1, 10);
    look();
    for (const char* image : {"/bin/a", "/bin/b"})  // one is kept open
        fs::resize_file(session_.path() + "/" + mangle(sample(image)), 3);
    EXPECT_EQ(look().unread_files, 2U);
    EXPECT_EQ(total(), 20U);
    EXPECT_EQ(look().unread_files, 2U);
}

}  // namespace op::tool
