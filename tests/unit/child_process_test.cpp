// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/run/child_process.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <thread>

#include "daemon/run/recording.h"
#include "libop/base/error.h"
#include "tests/unit/keep_mask.h"
#include "tests/unit/temp_dir.h"

namespace op::collect {
namespace {

ChildEnd end_of(std::vector<std::string> words) {
    const test::KeepMask mask;
    StopSignals signals;
    ChildProcess command(std::move(words), signals.old_mask());
    command.release();
    await_end(command, signals);
    return *command.poll_end();
}

}  // namespace

TEST(ChildProcess, reports_how_it_ended) {
    EXPECT_TRUE(end_of({"true"}).normal());
    EXPECT_EQ(end_of({"sh", "-c", "exit 3"}).text(), "exited with status 3");
    EXPECT_EQ(end_of({"sh", "-c", "kill -9 $$"}).text(), "was killed by signal 9 (Killed)");
}

TEST(ChildProcess, its_end_is_known_where_SIGCHLD_was_ignored_and_its_program_still_ignores_it) {
    struct sigaction ignored {
    }, before{};
    ignored.sa_handler = SIG_IGN;
    ::sigaction(SIGCHLD, &ignored, &before);
    const ChildEnd ignores = end_of({"grep", "-q", "^SigIgn:.*[13579bdf]....$", "/proc/self/status"});
    ::sigaction(SIGCHLD, &ignored, nullptr);
    const ChildEnd failed = end_of({"sh", "-c", "exit 3"});
    ::sigaction(SIGCHLD, &before, nullptr);
    EXPECT_EQ(ignores.text(), "exited with status 0") << "of SIGCHLD, signal 17";
    EXPECT_EQ(failed.text(), "exited with status 3");
}

TEST(ChildProcess, a_child_killed_by_the_parent_is_reported_as_such) {
    const test::KeepMask mask;
    StopSignals signals;
    ChildProcess command({"sleep", "1000"}, signals.old_mask());
    command.release();
    command.signal(SIGKILL);
    await_end(command, signals);
    EXPECT_EQ(command.poll_end()->text(),
              "was killed by signal 9 (Killed), sent from here: it had been asked to end and went on");
}

TEST(ChildProcess, a_program_that_cannot_be_run_is_a_usage_error) {
    const test::TempDir dir;
    EXPECT_THROW(end_of({dir / "none"}), Error);
    EXPECT_THROW(end_of({dir.write("plain", "x")}), Error);
    EXPECT_THROW(find_program("no-such-program-anywhere"), Error);
    EXPECT_THROW(find_program(dir.path()), Error);
    EXPECT_EQ(find_program("/bin/sh"), "/bin/sh");
}

TEST(ChildProcess, does_nothing_before_it_is_released) {
    const test::TempDir dir;
    const std::string trace = dir / "trace";
    const test::KeepMask mask;
    StopSignals signals;
    { const ChildProcess dropped({"touch", trace}, signals.old_mask()); }
    ChildProcess dismissed({"touch", trace}, signals.old_mask());
    EXPECT_EQ(await_end(dismissed, signals), StopReason::program_ended);
    EXPECT_FALSE(dismissed.poll_end()->normal());
    EXPECT_FALSE(std::filesystem::exists(trace));
}

TEST(StopSignals, are_taken_one_by_one_and_stay_blocked) {
    std::thread([] {  // a signal mask of its own
        sigset_t all, after;
        ::sigfillset(&all);
        ::pthread_sigmask(SIG_UNBLOCK, &all, nullptr);
        {
            StopSignals signals;
            EXPECT_EQ(signals.take().number, 0);
            ::pthread_kill(::pthread_self(), SIGHUP);
            ::pthread_kill(::pthread_self(), SIGPIPE);  // does not end this process
            const auto received = signals.take();
            EXPECT_EQ(received.number, SIGHUP);
            EXPECT_FALSE(received.from_terminal);
            EXPECT_EQ(signals.take().number, 0);
            EXPECT_EQ(::sigismember(&signals.old_mask(), SIGHUP), 0);
        }
        ::pthread_sigmask(SIG_BLOCK, nullptr, &after);
        for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE})
            EXPECT_EQ(::sigismember(&after, number), 1) << number;
    })
        .join();
}

TEST(StopSignals, a_hangup_is_pending_only_where_it_stops) {
    std::thread([] {  // a signal mask of its own
        const test::KeepMask mask;
        const StopSignals signals;
        EXPECT_FALSE(StopSignals::is_stop_pending(true));
        ::pthread_kill(::pthread_self(), SIGHUP);
        EXPECT_TRUE(StopSignals::is_stop_pending(true));
        EXPECT_FALSE(StopSignals::is_stop_pending(false));
        ::pthread_kill(::pthread_self(), SIGTERM);
        EXPECT_TRUE(StopSignals::is_stop_pending(false));
    })
        .join();
}

}  // namespace op::collect
