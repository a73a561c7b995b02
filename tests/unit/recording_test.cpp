// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/run/recording.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "daemon/source/attach.h"
#include "libop/base/error.h"
#include "tests/unit/keep_mask.h"
#include "tests/unit/temp_dir.h"

namespace op::collect {
namespace {

using std::chrono::milliseconds, std::chrono::seconds;

/// Gives one record a round, and after stop() one more; each round it does what the test wants.
class FakeSource final : public SampleSource {
public:
    const SessionInfo& describe() const override { return info_; }
    void start() override { started = true; }
    void stop() override { stopped = true; }
    std::span<const Record> drain() override {
        if (stopped) return std::span(&record_, std::exchange(last_, false) ? 1 : 0);
        ++round;
        if (round % 2 == 0 && !is_endless) return {};
        if (each_round) each_round();
        return {&record_, 1};
    }
    int wait_fd() const override { return is_silent ? never_ready_.get() : always_ready_.get(); }

    bool started = false, stopped = false;
    bool is_endless = false;  ///< it fills faster than it is drained
    bool is_silent = false;   ///< it never asks to be drained
    int round = 0;
    std::function<void()> each_round;

private:
    Fd always_ready_ = open_file("/dev/null", O_RDONLY);
    Fd never_ready_{::eventfd(0, EFD_CLOEXEC)};
    SessionInfo info_;
    Record record_ = Lost{1, 0, LossCause::kernel_buffer};
    bool last_ = true;
};

class Recordings : public ::testing::Test {
protected:
    StopReason run(ChildProcess* command = nullptr, std::vector<int> attached = {}) {
        Recording recording{
            source_, signals_,           notes_, [this](auto records) { taken_ += records.size(); }, {},
            command, std::move(attached)};
        recording.now = [this] { return time_ += tick_; };
        recording.checkpoint = checkpoint_;
        return record(recording);
    }
    /// A program that takes no notice of SIGTERM, and makes `ready` when it does not any more.
    ChildProcess stubborn() {
        return ChildProcess({"sh", "-c", "trap '' TERM; : >" + ready_ + "; exec sleep 1000"},
                            signals_.old_mask());
    }
    bool is_ready() const { return std::filesystem::exists(ready_); }
    static void send(int number) { ::kill(::getpid(), number); }

    test::TempDir dir_;
    std::string ready_ = dir_ / "ready";
    test::KeepMask mask_;
    StopSignals signals_;
    FakeSource source_;
    Diagnostics notes_;
    std::function<void()> checkpoint_;
    size_t taken_ = 0;
    std::chrono::steady_clock::time_point time_{};
    milliseconds tick_{0};
};

}  // namespace

TEST_F(Recordings, last_until_the_program_ends_and_take_what_comes_after) {
    ChildProcess command({"true"}, signals_.old_mask());
    EXPECT_EQ(run(&command), StopReason::program_ended);
    EXPECT_TRUE(source_.started && source_.stopped);
    EXPECT_EQ(taken_, static_cast<size_t>(source_.round + 1) / 2 + 1);
    EXPECT_TRUE(command.poll_end()->normal());
}

TEST_F(Recordings, end_at_once_if_the_process_has_ended) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    const Fd ended = watch_process(child);
    EXPECT_NE(run(nullptr, {ended.get()}), StopReason::interrupted);
    ::waitpid(child, nullptr, 0);
    EXPECT_THROW(watch_process(child), Error) << "nothing to wait for for ever";
}

TEST_F(Recordings, report_that_the_process_ended_before_sampling_began) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    const Fd ended = watch_process(child);
    siginfo_t ignored;
    ::waitid(P_PID, child, &ignored, WEXITED | WNOWAIT);
    EXPECT_EQ(run(nullptr, {ended.get()}), StopReason::ended_before);
    ::waitpid(child, nullptr, 0);
}

TEST_F(Recordings, report_that_the_process_ended_while_sampled) {
    const pid_t child = ::fork();
    if (child == 0) {
        for (;;)
            ::pause();
    }
    const Fd running = watch_process(child);
    source_.each_round = [&] { ::kill(child, SIGKILL); };
    EXPECT_EQ(run(nullptr, {running.get()}), StopReason::program_ended);
    ::waitpid(child, nullptr, 0);
}

TEST_F(Recordings, of_several_processes_end_with_the_last) {
    pid_t children[2];
    for (pid_t& child : children) {
        child = ::fork();
        if (child != 0) continue;
        for (;;)
            ::pause();
    }
    const Fd first = watch_process(children[0]), second = watch_process(children[1]);
    const auto end = [](pid_t child) {
        ::kill(child, SIGKILL);
        siginfo_t ignored;
        ::waitid(P_PID, child, &ignored, WEXITED | WNOWAIT);
    };
    source_.each_round = [&] {
        if (source_.round == 3) end(children[1]);
        if (source_.round == 9) end(children[0]);
    };
    EXPECT_EQ(run(nullptr, {first.get(), second.get()}), StopReason::program_ended);
    EXPECT_GE(source_.round, 9);
    for (const pid_t child : children) {
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
    }
}

TEST_F(Recordings, without_command_end_with_a_signal) {
    source_.each_round = [this] {
        if (source_.round == 5) send(SIGTERM);
    };
    EXPECT_EQ(run(), StopReason::interrupted);
    EXPECT_GE(source_.round, 5);
}

TEST_F(Recordings, end_with_a_signal_even_if_the_source_is_never_empty) {
    source_.is_endless = true;
    tick_ = milliseconds(50);
    source_.each_round = [this] {
        if (source_.round == 1) send(SIGTERM);
    };
    EXPECT_EQ(run(), StopReason::interrupted);
    EXPECT_LT(source_.round, 10);
}

TEST_F(Recordings, do_not_wait_for_a_source_that_was_not_drained_to_its_end) {
    source_.is_endless = source_.is_silent = true;
    tick_ = milliseconds(50);
    source_.each_round = [this] {
        if (source_.round == 40) send(SIGTERM);
    };
    const auto began = std::chrono::steady_clock::now();
    EXPECT_EQ(run(), StopReason::interrupted);
    EXPECT_LT(std::chrono::steady_clock::now() - began, seconds(10)) << "a second in every round";
}

TEST_F(Recordings, give_a_command_ten_seconds_after_a_signal) {
    ChildProcess command = stubborn();
    std::optional<std::chrono::steady_clock::time_point> asked;
    source_.each_round = [&] {
        if (asked || !is_ready()) return;
        send(SIGTERM);
        asked = time_;
        tick_ = milliseconds(10);
    };
    EXPECT_EQ(run(&command), StopReason::interrupted);
    EXPECT_GE(time_ - *asked, seconds(10));
    EXPECT_EQ(command.poll_end()->code, SIGKILL);
}

TEST_F(Recordings, kill_a_command_at_the_second_signal) {
    ChildProcess command = stubborn();
    source_.each_round = [this] {
        if (is_ready()) send(SIGTERM);
    };
    EXPECT_EQ(run(&command), StopReason::interrupted);
    EXPECT_EQ(time_, std::chrono::steady_clock::time_point{}) << "no time has passed";
    EXPECT_EQ(command.poll_end()->code, SIGKILL);
}

TEST_F(Recordings, go_on_when_a_checkpoint_fails) {
    int checkpoints = 0;
    checkpoint_ = [&] {
        if (++checkpoints == 3) send(SIGTERM);
        throw Error(ErrorKind::system, "no space");
    };
    tick_ = seconds(10);
    EXPECT_EQ(run(), StopReason::interrupted);
    EXPECT_EQ(checkpoints, 3);
    ASSERT_EQ(notes_.warnings().size(), 1u);
    EXPECT_NE(notes_.warnings()[0].find("no space"), std::string::npos);
}

TEST_F(Recordings, leave_the_program_stoppable_after_a_failure) {
    ChildProcess command({"sleep", "1000"}, signals_.old_mask());
    command.release();
    send(SIGTERM);
    EXPECT_EQ(await_end(command, signals_), StopReason::interrupted);
    EXPECT_EQ(command.poll_end()->code, SIGTERM);
}

}  // namespace op::collect
