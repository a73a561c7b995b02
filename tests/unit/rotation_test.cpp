// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/collect/rotation.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "libop/base/directory.h"
#include "tests/unit/temp_dir.h"

namespace op::collect {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t day = 86400, hour = 3600, minute = 60;
/// 2026-11-25 00:00:00 UTC
constexpr uint64_t midnight = 1795564800;

/// A recording whose clocks the test sets. It samples /bin/app.
class Rotated : public ::testing::Test {
protected:
    Rotated() : session_(begun(dir_.path(), notes_)) {
        info_.cpu_type = 4;
        info_.events = {{"TIMER", 0, 1000000}};
    }

    static SessionWriter begun(const std::string& dir, Diagnostics& notes) {
        SessionWriter session(dir, false, notes);
        session.begin(true);
        return session;
    }
    /// Begins at `calendar`.
    Rotation& begin(uint64_t calendar, const RotationSettings& settings = {.period = day}) {
        now_ = {calendar, 1'000'000'000};
        info_.start_time = calendar;
        rotation_.reset();
        keeper_.emplace(session_, info_, CollectorOptions{}, true, notes_);
        rotation_.emplace(
            session_, *keeper_, settings, notes_, [this](const std::string& line) { log_ += line + "\n"; },
            [this] { return now_; });
        return *rotation_;
    }
    void sample(int n) {
        std::vector<Record> records{Name{0, 7, 7, true, "app"},
                                    Mapping{0, 7, {0x400000}, 0x10000, 0, false, "/bin/app", {}}};
        for (int i = 0; i < n; ++i)
            records.push_back(Sample{1, 7, 7, 0, 0, CpuMode::user, 0, {0x400010}, {}});
        keeper_->process(records);
    }
    /// Both clocks go on, with looks in between as a recorder has them.
    void pass(uint64_t seconds) {
        for (const uint64_t end = now_.calendar + seconds; now_.calendar < end;) {
            const uint64_t step = std::min<uint64_t>(end - now_.calendar, 30);
            now_.calendar += step;
            now_.elapsed_ns += step * 1'000'000'000;
            rotation_->look();
        }
    }
    void set_clock(uint64_t calendar) {
        now_.calendar = calendar;
        rotation_->look();
    }
    std::vector<std::string> names() {
        std::vector<std::string> names;
        for (const auto& session :
             list_rotated(session_.samples_directory(), session_.samples_path(), notes_))
            names.push_back(session.name);
        return names;
    }
    SessionInfo manifest(const std::string& name) {
        return SessionReader(dir_ / ("samples/" + name)).info(notes_).value();
    }
    /// Samples that the files of a session hold; its account has to agree.
    uint64_t stored(const std::string& name) {
        const SessionReader reader(dir_ / ("samples/" + name));
        uint64_t sum = 0;
        for (const std::string& path : reader.list())
            for (const auto& entry : reader.read(path, notes_).entries)
                sum += entry.count;
        const SessionInfo info = manifest(name);
        EXPECT_TRUE(info.ledger.balanced()) << name;
        EXPECT_EQ(info.ledger.stored(), sum) << name;
        EXPECT_FALSE(info.unfinished) << name;
        return sum;
    }
    void mark(const std::string& name) {
        mark_pushed(open_directory_at(session_.samples_directory(), name, name, false), name);
    }
    std::string join_notes() {
        std::string text;
        for (const auto& note : notes_.take())
            text += note + "\n";
        return text;
    }
    bool exists(const std::string& name) const { return fs::exists(dir_ / ("samples/" + name)); }
    uint64_t bytes(const std::string& name) { return disk_bytes(session_.samples_directory(), name); }

    test::TempDir dir_;
    Diagnostics notes_;
    SessionWriter session_;
    SessionInfo info_;
    ClockPair now_;
    std::string log_;
    std::optional<SessionKeeper> keeper_;
    std::optional<Rotation> rotation_;
};

using Names = std::vector<std::string>;

TEST(RotatedName, is_the_start_in_utc) {
    EXPECT_EQ(rotated_name(midnight), "fleet-20261125T000000Z");
    EXPECT_EQ(rotated_name(0), "fleet-19700101T000000Z");
    EXPECT_EQ(rotated_name(midnight + 3661, 12), "fleet-20261125T010101Z-12");
    EXPECT_EQ(rotated_name(UINT64_MAX), "fleet-99991231T235959Z");
}

TEST(RotatedName, differs_from_other_names) {
    for (const char* name :
         {"fleet-20261125T000000Z", "fleet-20261125T000000Z-2", "fleet-20261125T000000Z-10"})
        EXPECT_TRUE(is_rotated_name(name)) << name;
    for (const char* name :
         {"", "fleet-", "fleet-20261125", "current", "fleet-20261125T000000Z-", "fleet-monday",
          "fleet-20261125T000000Zx", "fleet-2026112xT000000Z", "fleet-20261125T000000Z-2x"})
        EXPECT_FALSE(is_rotated_name(name)) << name;
}

TEST_F(Rotated, cuts_at_each_midnight_and_no_sample_is_lost_or_counted_twice) {
    begin(midnight + 20 * hour);
    sample(3);
    pass(4 * hour - 30);
    EXPECT_EQ(names(), Names{}) << "the day is not over";
    sample(2);
    pass(30);
    sample(4);
    pass(day);
    sample(1);
    rotation_->cut();
    EXPECT_EQ(names(), (Names{"fleet-20261125T200000Z", "fleet-20261126T000000Z", "fleet-20261127T000000Z"}));
    EXPECT_EQ(stored("fleet-20261125T200000Z"), 5u);
    EXPECT_EQ(stored("fleet-20261126T000000Z"), 4u);
    EXPECT_EQ(stored("fleet-20261127T000000Z"), 1u);
    const SessionInfo second = manifest("fleet-20261126T000000Z");
    EXPECT_EQ(second.start_time, midnight + day);
    EXPECT_EQ(second.stop_time, midnight + 2 * day);
    EXPECT_EQ(manifest("fleet-20261125T200000Z").stop_time, second.start_time) << "no gap";
    EXPECT_EQ(second.events.size(), 1u);
    EXPECT_EQ(second.images.count("/bin/app"), 1u);
}

TEST_F(Rotated, each_session_has_a_number_of_its_own_that_an_appended_run_keeps) {
    begin(midnight + 20 * hour);
    sample(1);
    const std::string first = manifest("current").session_id;
    EXPECT_EQ(first.size(), 32u);
    rotation_->cut();
    EXPECT_EQ(manifest("fleet-20261125T200000Z").session_id, first);
    const std::string second = manifest("current").session_id;
    EXPECT_NE(second, first);
    sample(1);
    keeper_->save();
    keeper_.emplace(session_, info_, CollectorOptions{}, true, notes_);
    sample(1);
    keeper_->save();
    EXPECT_EQ(manifest("current").session_id, second);
}

TEST_F(Rotated, hourly_cuts_are_at_full_hours) {
    begin(midnight + 100, {.period = hour});
    sample(1);
    pass(hour - 101);
    EXPECT_EQ(names(), Names{});
    pass(1);
    EXPECT_EQ(names(), Names{"fleet-20261125T000140Z"});
    EXPECT_EQ(rotation_->status().next_cut, midnight + 2 * hour);
}

TEST_F(Rotated, losses_stay_with_their_slice) {
    begin(midnight + 23 * hour);
    sample(2);
    keeper_->process(std::vector<Record>{Lost{40, 0, LossCause::kernel_buffer}});
    pass(hour);
    keeper_->process(std::vector<Record>{Lost{2, 0, LossCause::kernel_buffer}});
    rotation_->cut();
    EXPECT_EQ(manifest("fleet-20261125T230000Z").ledger.lost(), 40u);
    EXPECT_EQ(stored("fleet-20261125T230000Z"), 2u);
    EXPECT_EQ(manifest("fleet-20261126T000000Z").ledger.lost(), 2u) << "a slice of losses alone is kept";
}

TEST_F(Rotated, without_a_sample_there_is_no_session_but_the_next_begins_later) {
    begin(midnight + 23 * hour);
    pass(3 * day);
    EXPECT_EQ(names(), Names{});
    sample(1);
    rotation_->cut();
    EXPECT_EQ(names(), Names{"fleet-20261128T000000Z"});
}

TEST_F(Rotated, a_clock_set_back_a_little_does_not_cut_twice_at_one_midnight) {
    begin(midnight - 60);
    sample(1);
    pass(60);
    sample(1);
    set_clock(midnight - 20);
    EXPECT_EQ(names().size(), 1u);
    pass(hour);
    EXPECT_EQ(names().size(), 1u);
    pass(day);
    EXPECT_EQ(names(), (Names{"fleet-20261124T235900Z", "fleet-20261125T000000Z"}));
}

TEST_F(Rotated, a_clock_that_was_at_1970_ends_the_slice_by_the_old_clock) {
    begin(30);
    sample(2);
    pass(300);
    set_clock(midnight + 5);
    sample(3);
    rotation_->cut();
    EXPECT_EQ(names(), (Names{"fleet-19700101T000030Z", "fleet-20261125T000005Z"}));
    const SessionInfo before = manifest("fleet-19700101T000030Z");
    EXPECT_EQ(before.start_time, 30u);
    EXPECT_EQ(before.stop_time, 330u);
    EXPECT_EQ(before.clock_set_forward, midnight + 5 - 330);
    EXPECT_EQ(before.start_time + before.clock_set_forward, midnight + 5 - 300) << "its true start";
    EXPECT_EQ(before.clock_set_back, 0u);
    EXPECT_EQ(manifest("fleet-20261125T000005Z").clock_set_forward, 0u);
    EXPECT_EQ(stored("fleet-20261125T000005Z"), 3u);
    EXPECT_NE(log_.find("the clock was set forward by"), std::string::npos) << log_;
}

TEST_F(Rotated, a_clock_set_back_by_hours_ends_the_slice_and_the_name_that_exists_gets_a_number) {
    begin(midnight + 12 * hour);
    sample(1);
    pass(2 * hour);
    set_clock(midnight + 12 * hour);
    EXPECT_EQ(manifest("fleet-20261125T120000Z").clock_set_back, 2 * hour);
    EXPECT_EQ(manifest("fleet-20261125T120000Z").stop_time, midnight + 14 * hour);
    sample(2);
    rotation_->cut();
    sample(3);
    rotation_->cut();
    EXPECT_EQ(names(),
              (Names{"fleet-20261125T120000Z", "fleet-20261125T120000Z-2", "fleet-20261125T120000Z-3"}));
    EXPECT_EQ(stored("fleet-20261125T120000Z"), 1u);
    EXPECT_EQ(stored("fleet-20261125T120000Z-2"), 2u);
    EXPECT_EQ(stored("fleet-20261125T120000Z-3"), 3u);
}

TEST_F(Rotated, a_cut_that_is_asked_for_just_after_the_clock_was_set_back_ends_no_slice_before_its_start) {
    begin(midnight + 12 * hour, {.period = 0});
    sample(1);
    pass(600);
    now_.calendar -= 2 * hour;
    rotation_->cut();
    ASSERT_EQ(names(), Names{"fleet-20261125T120000Z"});
    const SessionInfo slice = manifest("fleet-20261125T120000Z");
    EXPECT_EQ(slice.stop_time, midnight + 12 * hour + 600);
    EXPECT_EQ(slice.clock_set_back, 2 * hour);
    EXPECT_EQ(manifest("current").start_time, midnight + 10 * hour + 600);
}

TEST_F(Rotated, a_small_step_back_ends_no_slice_before_its_start_either) {
    begin(midnight + 12 * hour);
    sample(1);
    pass(10);
    now_.calendar -= 50;
    rotation_->cut();
    ASSERT_EQ(names(), Names{"fleet-20261125T120000Z"});
    const SessionInfo slice = manifest("fleet-20261125T120000Z");
    EXPECT_EQ(slice.stop_time, midnight + 12 * hour + 10);
    EXPECT_EQ(slice.clock_set_back, 0u) << "less than a clock that was set";
}

TEST_F(Rotated, a_suspended_machine_is_no_clock_that_was_set) {
    begin(midnight + hour);
    sample(1);
    now_.calendar += 5 * hour;
    now_.elapsed_ns += 5 * hour * 1'000'000'000;
    rotation_->look();
    EXPECT_EQ(names(), Names{});
}

TEST_F(Rotated, a_cut_that_fails_is_tried_again_and_the_slice_goes_on) {
    begin(midnight - 30);
    sample(1);
    // The account cannot be replaced: a directory is in the place of the statistics' file.
    fs::create_directories(dir_ / "samples/current/stats/total_samples/x");
    fs::create_directories(dir_ / "abi/x");
    now_.calendar += 30;
    now_.elapsed_ns += 30'000'000'000;
    EXPECT_THROW(rotation_->look(), Error);
    EXPECT_EQ(names(), Names{});
    EXPECT_NO_THROW(pass(30)) << "not before a minute has passed";
    sample(1);
    fs::remove_all(dir_ / "abi");
    pass(60);
    ASSERT_EQ(names(), Names{"fleet-20261124T235930Z"});
    EXPECT_EQ(stored("fleet-20261124T235930Z"), 2u);
}

TEST_F(Rotated, what_cannot_be_begun_leaves_the_session_where_it_is) {
    begin(midnight);
    sample(2);
    std::ofstream(dir_ / "samples/.next") << "in the way";
    EXPECT_THROW(rotation_->cut(), Error);
    sample(1);
    keeper_->save();
    EXPECT_EQ(stored("current"), 3u);
    fs::remove(dir_ / "samples/.next");
    rotation_->cut();
    EXPECT_EQ(stored("fleet-20261125T000000Z"), 3u);
}

TEST_F(Rotated, a_reset_begins_a_slice) {
    begin(midnight + hour);
    sample(1);
    pass(hour);
    session_.reset();
    keeper_->begin_run(now_.calendar);
    rotation_->begin_slice();
    sample(2);
    rotation_->cut();
    EXPECT_EQ(names(), Names{"fleet-20261125T020000Z"});
    EXPECT_EQ(stored("fleet-20261125T020000Z"), 2u);
}

TEST_F(Rotated, restart_saves_what_a_killed_run_left) {
    begin(midnight + hour);
    sample(2);
    keeper_->checkpoint();
    ASSERT_TRUE(manifest("current").unfinished);
    keeper_.reset();
    EXPECT_EQ(rotate_left_session(session_, notes_), "fleet-20261125T010000Z");
    EXPECT_EQ(stored("fleet-20261125T010000Z"), 2u);
    EXPECT_EQ(rotate_left_session(session_, notes_), "") << "nothing is left";
    begin(midnight + 2 * hour);
    sample(1);
    rotation_->cut();
    EXPECT_EQ(names(), (Names{"fleet-20261125T010000Z", "fleet-20261125T020000Z"}));
}

/// Six slices of a day, of 1, 2 … 6 samples.
class Limited : public Rotated {
protected:
    void record_days(const RotationSettings& settings) {
        begin(midnight, settings);
        for (int i = 1; i <= 6; ++i) {
            sample(i);
            pass(day);
        }
    }
    static Names days(unsigned first, unsigned last) {
        Names names;
        for (unsigned i = first; i <= last; ++i)
            names.push_back(rotated_name(midnight + i * day));
        return names;
    }
};

TEST_F(Limited, drops_by_age_what_is_older_and_counts_what_was_not_pushed) {
    record_days({.period = day, .keep = 2 * day});
    EXPECT_EQ(names(), days(3, 5));
    const DroppedSessions dropped = manifest(days(4, 4)[0]).dropped;
    ASSERT_EQ(dropped.rows().size(), 1u) << "while the fifth day was recorded, the second was dropped";
    EXPECT_EQ(dropped.rows()[0], (DroppedSession{days(1, 1)[0], 2, midnight + day, midnight + 2 * day}));
    EXPECT_NE(
        log_.find(days(1, 1)[0] + " was dropped, older than 2d; it had not been pushed: 2 samples lost"),
        std::string::npos)
        << log_;
}

TEST_F(Limited, the_age_of_one_without_a_manifest_is_that_of_its_directory) {
    begin(midnight, {.period = day, .keep = 2 * day});
    for (const auto& [name, changed] :
         {std::pair{days(1, 1)[0], midnight}, {days(2, 2)[0], midnight - 3 * day}}) {
        const timespec time{static_cast<time_t>(changed), 0}, times[]{time, time};
        fs::create_directories(dir_ / ("samples/" + name));
        ASSERT_EQ(::utimensat(AT_FDCWD, (dir_ / ("samples/" + name)).c_str(), times, 0), 0);
    }
    pass(2 * hour);
    EXPECT_EQ(names(), days(1, 1));
}

TEST_F(Limited, pushed_ones_go_by_age_uncounted) {
    begin(midnight, {.period = day, .keep = 2 * day});
    sample(1);
    pass(day);
    mark(days(0, 0)[0]);
    pass(3 * day);
    EXPECT_EQ(names(), Names{});
    keeper_->save();
    EXPECT_TRUE(manifest("current").dropped.is_empty());
}

TEST_F(Limited, a_clock_that_was_just_set_drops_nothing_for_its_age) {
    record_days({.period = day, .keep = 7 * day});
    set_clock(midnight + 3650 * day);
    pass(50 * minute);
    EXPECT_EQ(names(), days(0, 5)) << "a wrong clock must not cost all sessions";
    set_clock(midnight + 6 * day);
    pass(2 * hour);
    EXPECT_EQ(names(), days(0, 5));
    set_clock(midnight + 30 * day);
    pass(61 * minute);
    EXPECT_EQ(names(), Names{});
}

TEST_F(Limited, the_cap_takes_pushed_ones_first_then_the_oldest) {
    record_days({.period = day});
    mark(days(2, 2)[0]);
    mark(days(4, 4)[0]);
    const uint64_t one = bytes(days(0, 0)[0]);
    ASSERT_GT(one, 0u);
    const auto drop_to = [&](uint64_t sessions) {
        const uint64_t current = bytes("current");
        Rotation limited(
            session_, *keeper_, {.period = day, .disk_cap = current + one * sessions + one / 2}, notes_,
            [this](const std::string& line) { log_ += line + "\n"; }, [this] { return now_; });
        limited.look();
    };
    drop_to(5);
    EXPECT_FALSE(exists(days(2, 2)[0]));
    drop_to(4);
    EXPECT_FALSE(exists(days(4, 4)[0]));
    keeper_->save();
    EXPECT_TRUE(manifest("current").dropped.is_empty()) << "pushed ones are no loss";
    drop_to(2);
    EXPECT_EQ(names(), (Names{days(3, 3)[0], days(5, 5)[0]}));
    keeper_->save();
    EXPECT_EQ(manifest("current").dropped.samples(), 1u + 2u);
    sample(1);
    pass(day);
    EXPECT_EQ(manifest(days(6, 6)[0]).dropped.samples(), 3u);
    keeper_->save();
    EXPECT_TRUE(manifest("current").dropped.is_empty()) << "each is counted in one slice";
}

TEST_F(Limited, other_sessions_are_never_dropped) {
    begin(midnight, {.period = day, .disk_cap = 1});
    for (const char* name :
         {"samples/previous/x", "samples/monday/x", "samples/fleet-mine/x", "samples/notes"})
        dir_.write(name, "mine");
    sample(1);
    pass(2 * day);
    EXPECT_EQ(names(), Names{});
    for (const char* name : {"previous/x", "monday/x", "fleet-mine/x", "notes", "current"})
        EXPECT_TRUE(exists(name)) << name;
    EXPECT_NE(join_notes().find("more than the limit"), std::string::npos);
}

TEST_F(Limited, a_link_of_a_sessions_name_is_neither_listed_nor_followed) {
    begin(midnight, {.period = day, .disk_cap = 1});
    dir_.write("elsewhere/file", "mine");
    fs::create_symlink(dir_ / "elsewhere", dir_ / "samples/fleet-20200101T000000Z");
    sample(1);
    pass(2 * day);
    EXPECT_TRUE(fs::exists(dir_ / "elsewhere/file"));
    EXPECT_TRUE(fs::is_symlink(dir_ / "samples/fleet-20200101T000000Z"));
}

}  // namespace
}  // namespace op::collect
