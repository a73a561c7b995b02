// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/collect/session_keeper.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/unit/temp_dir.h"

namespace op::collect {

namespace {

/// A keeper of a session whose clock a test sets.
class KeptCost : public testing::Test {
protected:
    KeptCost() : session_(dir_.path(), false, notes_) { session_.begin(false); }

    RecorderClock clock() {
        return [this] { return now_; };
    }
    SessionInfo manifest() { return session_.read_info(notes_).value(); }

    test::TempDir dir_;
    Diagnostics notes_;
    SessionWriter session_;
    RecorderCpu now_;
};

}  // namespace

TEST_F(KeptCost, is_what_the_clock_has_read_since_the_run_began) {
    now_ = {5, 10};
    SessionKeeper keeper(session_, {}, {}, false, notes_, {}, clock());
    now_ = {70, 1000};
    EXPECT_EQ(keeper.flush_and_account().recorder_cpu, (RecorderCpu{70, 1000}));
    now_ = {80, 2000};
    keeper.save();
    EXPECT_EQ(manifest().recorder_cpu, (RecorderCpu{80, 2000}));
    keeper.begin_run();
    now_ = {100, 2500};
    keeper.save();
    EXPECT_EQ(manifest().recorder_cpu, (RecorderCpu{20, 500})) << "a session that was reset";
}

TEST_F(KeptCost, of_an_appended_run_is_added) {
    now_ = {80, 2000};
    SessionKeeper(session_, {}, {}, false, notes_, {}, clock()).save();
    now_ = {7, 100};
    SessionKeeper keeper(session_, {}, {}, true, notes_, {}, clock());
    EXPECT_EQ(keeper.save().recorder_cpu, (RecorderCpu{7, 100}));
    EXPECT_EQ(manifest().recorder_cpu, (RecorderCpu{87, 2100}));
}

TEST_F(KeptCost, is_not_there_without_a_clock) {
    SessionKeeper(session_, {}, {}, false, notes_).save();
    EXPECT_FALSE(manifest().recorder_cpu.is_measured());
    EXPECT_EQ(to_json(manifest()).find("recorder_cpu"), std::string::npos);
}

TEST_F(KeptCost, samples_that_met_a_limit_are_noted_with_what_fills_it_at_the_end) {
    for (int i = 0; i < 1000; ++i) {
        const std::string program = "{root}/b/p" + std::to_string(i);
        dir_.write("samples/current/" + program + "/{dep}/" + program + "/E.100.0.all.all.all", "");
    }
    SessionInfo info;
    info.events = {{"E", 0, 100}};
    SessionKeeper keeper(session_, info, {.limits = {.path = 8}}, false, notes_);
    keeper.save();
    EXPECT_EQ(notes_.take(), std::vector<std::string>()) << "none was lost";
    keeper.process(std::vector<Record>{Mapping{0, 7, {0x1000}, 0x1000, 0, false, "/longer/than/that", {}},
                                       Sample{1, 7, 7, 0, 0, CpuMode::user, 0, {0x1000}, {}}});
    keeper.flush_and_account();
    EXPECT_EQ(notes_.take().size(), 1u) << "while it records, nothing is listed";
    keeper.save();
    EXPECT_EQ(notes_.take().back(), "limits on images: 1000 of 1000 sample files are of programs in /b");
}

TEST_F(KeptCost, a_session_that_was_moved_is_saved_whatever_has_filled_it) {
    SessionInfo info;
    info.events = {{"E", 0, 100}};
    SessionKeeper keeper(session_, info, {.limits = {.path = 8}}, false, notes_);
    keeper.process(std::vector<Record>{Mapping{0, 7, {0x1000}, 0x1000, 0, false, "/longer/than/that", {}},
                                       Sample{1, 7, 7, 0, 0, CpuMode::user, 0, {0x1000}, {}}});
    keeper.flush_and_account();
    std::filesystem::rename(dir_.path() + "/samples/current", dir_.path() + "/samples/kept");
    EXPECT_NO_THROW(keeper.save());
}

TEST(RecorderClock, never_goes_back) {
    const RecorderClock clock = own_recorder_clock();
    const RecorderCpu first = clock(), second = clock();
    EXPECT_GE(second.used, first.used);
    EXPECT_GE(second.elapsed, first.elapsed);
    EXPECT_EQ((RecorderCpu{1, 2}.since({3, 1})), (RecorderCpu{0, 1}));
}

}  // namespace op::collect
