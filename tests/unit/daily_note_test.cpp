// SPDX-License-Identifier: GPL-2.0-or-later
// Stamps of notes, in a directory of the test's own.
#include "utils/shared/daily_note.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "libop/base/fd.h"
#include "tests/unit/temp_dir.h"

namespace op::tool {
namespace {

class DailyNote : public ::testing::Test {
protected:
    bool due(std::string_view day) { return is_due(place_, "note", day); }
    std::string stamp() const { return home_.path() + "/.local/state/oprofile/note"; }
    std::string directory() const { return home_.path() + "/.local/state/oprofile"; }
    static mode_t mode_of(const std::string& path) {
        struct stat st {};
        return ::lstat(path.c_str(), &st) == 0 ? st.st_mode : 0;
    }

    test::TempDir home_;
    std::optional<StampPlace> place_ = StampPlace{home_.path(), {".local", "state", "oprofile"}};
};

TEST_F(DailyNote, is_due_once_a_day) {
    EXPECT_TRUE(due("2026-11-22"));
    EXPECT_FALSE(due("2026-11-22"));
    EXPECT_TRUE(due("2026-11-23"));
    EXPECT_FALSE(due("2026-11-23"));
}

TEST_F(DailyNote, stamp_has_the_date_and_is_the_users_alone) {
    due("2026-11-22");
    EXPECT_EQ(read_file(stamp()), "2026-11-22\n");
    EXPECT_EQ(mode_of(stamp()) & 0777, 0600U);
    EXPECT_EQ(mode_of(directory()) & 0777, 0700U);
}

TEST_F(DailyNote, stamp_of_another_content_is_replaced) {
    due("2026-11-22");
    for (const char* text : {"", "2026-11-22", "2026-11-22\nmore\n", "nonsense\n"}) {
        ASSERT_EQ(::truncate(stamp().c_str(), 0), 0);
        write_fd(open_file(stamp(), O_WRONLY).get(), text, stamp());
        EXPECT_TRUE(due("2026-11-22")) << text;
        EXPECT_EQ(read_file(stamp()), "2026-11-22\n");
    }
}

TEST_F(DailyNote, link_in_the_place_of_the_stamp_is_replaced_not_followed) {
    due("2026-11-22");
    const std::string victim = home_.path() + "/victim";
    write_fd(open_file(victim, O_WRONLY | O_CREAT).get(), "precious", victim);
    ASSERT_EQ(::unlink(stamp().c_str()), 0);
    ASSERT_EQ(::symlink(victim.c_str(), stamp().c_str()), 0);
    EXPECT_TRUE(due("2026-11-22"));
    EXPECT_EQ(read_file(victim), "precious");
    EXPECT_TRUE(S_ISREG(mode_of(stamp())));
}

TEST_F(DailyNote, link_in_the_place_of_a_directory_is_not_followed) {
    const std::string elsewhere = home_.path() + "/elsewhere";
    ASSERT_EQ(::mkdir(elsewhere.c_str(), 0700), 0);
    ASSERT_EQ(::symlink(elsewhere.c_str(), (home_.path() + "/.local").c_str()), 0);
    EXPECT_TRUE(due("2026-11-22"));
    EXPECT_TRUE(due("2026-11-22"));
    EXPECT_EQ(::rmdir(elsewhere.c_str()), 0) << "something was made there";
}

TEST_F(DailyNote, pipe_in_the_place_of_the_stamp_holds_nobody_up) {
    due("2026-11-22");
    ASSERT_EQ(::unlink(stamp().c_str()), 0);
    ASSERT_EQ(::mkfifo(stamp().c_str(), 0600), 0);
    EXPECT_TRUE(due("2026-11-22"));
    EXPECT_FALSE(due("2026-11-22"));
}

TEST_F(DailyNote, directory_of_another_user_or_writable_by_all_is_not_used) {
    ASSERT_EQ(::chmod(home_.path().c_str(), 0777), 0);
    EXPECT_TRUE(due("2026-11-22"));
    EXPECT_TRUE(due("2026-11-22"));
    EXPECT_EQ(mode_of(home_.path() + "/.local"), 0U);
    ASSERT_EQ(::chmod(home_.path().c_str(), 0700), 0);
    if (::geteuid() != 0) return;  // only root can give its directory away
    ASSERT_EQ(::chown(home_.path().c_str(), 65534, 65534), 0);
    EXPECT_TRUE(due("2026-11-22"));
    EXPECT_EQ(mode_of(home_.path() + "/.local"), 0U);
    ASSERT_EQ(::chown(home_.path().c_str(), 0, 0), 0);
}

TEST_F(DailyNote, root_follows_no_link_to_its_own_directories) {
    if (::geteuid() != 0) GTEST_SKIP() << "not root";
    ASSERT_EQ(::mkdir((home_.path() + "/theirs").c_str(), 0755), 0);
    ASSERT_EQ(::mkdir((home_.path() + "/mine").c_str(), 0755), 0);
    const std::string link = home_.path() + "/theirs/link";
    ASSERT_EQ(::symlink((home_.path() + "/mine").c_str(), link.c_str()), 0);
    place_->base = link;
    EXPECT_TRUE(due("2026-11-22"));
    EXPECT_TRUE(due("2026-11-22"));
    EXPECT_EQ(::rmdir((home_.path() + "/mine").c_str()), 0) << "something was made there";
}

TEST_F(DailyNote, missing_base_is_not_made) {
    place_->base = home_.path() + "/nonexistent";
    EXPECT_TRUE(due("2026-11-22"));
    EXPECT_EQ(mode_of(place_->base), 0U);
    EXPECT_TRUE(is_due(std::nullopt, "note", "2026-11-22"));
}

TEST(StampPlace, is_that_of_the_environment) {
    const auto set = [](const char* name, const char* value) { ::setenv(name, value, 1); };
    const std::string home = std::getenv("HOME") ? std::getenv("HOME") : "";
    const std::string state = std::getenv("XDG_STATE_HOME") ? std::getenv("XDG_STATE_HOME") : "";
    set("HOME", "/home/u");
    set("XDG_STATE_HOME", "/state");
    EXPECT_EQ(stamp_place()->base, "/state");
    set("XDG_STATE_HOME", "relative");
    EXPECT_EQ(stamp_place()->base, "/home/u");
    EXPECT_EQ(stamp_place()->below.size(), 3U);
    set("HOME", "");
    EXPECT_FALSE(stamp_place());
    set("HOME", home.c_str());
    set("XDG_STATE_HOME", state.c_str());
}

}  // namespace
}  // namespace op::tool
