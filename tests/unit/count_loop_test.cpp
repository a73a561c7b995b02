// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/count/count_loop.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "libop/base/error.h"
#include "tests/unit/keep_mask.h"
#include "tests/unit/temp_dir.h"

namespace op::collect {
namespace {

using std::chrono::milliseconds;

/// A counter that counts how often it is read.
class FakeCounters final : public CounterSource {
public:
    const std::vector<CounterKey>& counters() const override { return keys_; }
    void start() override { started = true; }
    void stop() override { stopped = true; }
    std::vector<CounterReading> read() override {
        ++reads;
        if (each_read) each_read();
        return {{reads * 100, reads * 1000, reads * 1000}};
    }

    bool started = false, stopped = false;
    uint64_t reads = 0;
    std::function<void()> each_read;

private:
    std::vector<CounterKey> keys_ = {{0, 1, {}}};
};

class CountingLoop : public ::testing::Test {
protected:
    StopReason run(CountIntervals intervals = {}, ChildProcess* command = nullptr) {
        const auto sink = [this](const CountBlock& block) { blocks_.push_back(block); };
        Counting counting{source_, signals_, sink, CountSeparation::none, intervals, command, has_ended_};
        counting.now = [this] { return time_ += tick_; };
        return count_events(counting);
    }
    static void send(int number) { ::kill(::getpid(), number); }

    test::KeepMask mask_;
    test::TempDir dir_;
    StopSignals signals_;
    FakeCounters source_;
    std::function<bool()> has_ended_;
    std::vector<CountBlock> blocks_;
    std::chrono::steady_clock::time_point time_{};
    milliseconds tick_{10};
};

}  // namespace

TEST_F(CountingLoop, lasts_until_the_command_ends_and_reports_once) {
    ChildProcess command({"true"}, signals_.old_mask());
    EXPECT_EQ(run({}, &command), StopReason::program_ended);
    EXPECT_TRUE(source_.started && source_.stopped);
    ASSERT_EQ(blocks_.size(), 1u);
    EXPECT_EQ(blocks_[0].rows.at(0).count, 100u);
    EXPECT_GT(blocks_[0].duration.count(), 0);
}

TEST_F(CountingLoop, lasts_until_the_tasks_are_gone) {
    int looks = 0;
    has_ended_ = [&] { return ++looks == 3; };
    EXPECT_EQ(run(), StopReason::program_ended);
    EXPECT_EQ(looks, 3);
    EXPECT_EQ(blocks_.size(), 1u);
}

TEST_F(CountingLoop, a_stop_signal_ends_it_and_the_counts_are_reported) {
    send(SIGINT);
    EXPECT_EQ(run(), StopReason::interrupted);
    EXPECT_EQ(blocks_.size(), 1u);
}

TEST_F(CountingLoop, a_stop_signal_reaches_the_command) {
    ChildProcess command({"sleep", "1000"}, signals_.old_mask());
    send(SIGTERM);
    EXPECT_EQ(run({}, &command), StopReason::interrupted);
    EXPECT_EQ(command.poll_end()->code, SIGTERM);
    EXPECT_EQ(blocks_.size(), 1u);
}

TEST_F(CountingLoop, reports_the_counts_of_each_interval) {
    EXPECT_EQ(run({milliseconds{100}, 3}), StopReason::intervals_over);
    ASSERT_EQ(blocks_.size(), 3u);
    for (const CountBlock& block : blocks_) {
        EXPECT_EQ(block.rows.at(0).count, 100u);
        EXPECT_GE(block.duration, milliseconds{50});
        EXPECT_LE(block.duration, milliseconds{200});
    }
}

TEST_F(CountingLoop, the_rest_of_an_interval_is_reported_at_the_end) {
    source_.each_read = [this] {
        if (source_.reads == 2) send(SIGINT);
    };
    EXPECT_EQ(run({milliseconds{100}, 0}), StopReason::interrupted);
    EXPECT_EQ(blocks_.size(), 3u);
}

TEST_F(CountingLoop, the_command_is_ended_after_the_last_interval) {
    ChildProcess command({"sleep", "1000"}, signals_.old_mask());
    EXPECT_EQ(run({milliseconds{100}, 2}, &command), StopReason::intervals_over);
    EXPECT_EQ(command.poll_end()->code, SIGTERM);
    EXPECT_EQ(blocks_.size(), 2u);
}

TEST_F(CountingLoop, a_command_that_does_not_want_to_end_is_killed) {
    const std::string ready = dir_ / "ready";
    ChildProcess command({"sh", "-c", "trap '' TERM; : >" + ready + "; exec sleep 1000"},
                         signals_.old_mask());
    source_.each_read = [&] {
        while (!std::filesystem::exists(ready))
            ::usleep(1000);
        tick_ = milliseconds{1000};
    };
    EXPECT_EQ(run({milliseconds{100}, 1}, &command), StopReason::intervals_over);
    EXPECT_EQ(command.poll_end()->code, SIGKILL);
}

TEST_F(CountingLoop, a_command_that_cannot_be_run_is_an_error) {
    ChildProcess command({dir_ / "none"}, signals_.old_mask());
    EXPECT_THROW(run({}, &command), Error);
    EXPECT_TRUE(blocks_.empty());
}

}  // namespace op::collect
