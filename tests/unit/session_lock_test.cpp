// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/session/session_lock.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

#include "libop/session/session.h"
#include "tests/unit/faults.h"
#include "tests/unit/temp_dir.h"

namespace op {

namespace {

namespace fs = std::filesystem;
using test::contains;
using test::fault;
using test::TempDir;

SessionWriter open(const std::string& dir, bool create = true) {
    Diagnostics notes;
    return SessionWriter(dir, create, notes);
}

/// A child process that runs `action`, reports that it has, and then waits to be killed.
class Child {
public:
    template <class Action>
    explicit Child(Action action) {
        int ends[2];
        if (::pipe(ends) != 0) throw std::runtime_error("pipe");
        pid_ = ::fork();
        if (pid_ == 0) {
            action();
            if (::write(ends[1], "r", 1) == 1) ::pause();
            ::_exit(1);
        }
        char byte;
        EXPECT_EQ(::read(ends[0], &byte, 1), 1);
        ::close(ends[0]);
        ::close(ends[1]);
    }
    ~Child() { kill(); }
    pid_t pid() const { return pid_; }
    void kill() {
        if (pid_ <= 0) return;
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
        pid_ = 0;
    }

private:
    pid_t pid_ = 0;
};

}  // namespace

TEST(SessionLock, file_holds_the_pid_without_a_newline_while_held) {
    const TempDir dir;
    {
        const SessionWriter session = open(dir / "d");
        EXPECT_EQ(read_file(dir / "d/lock"), std::to_string(::getpid()));
    }
    EXPECT_FALSE(fs::exists(dir / "d/lock"));
}

TEST(SessionLock, a_second_writer_gets_the_owners_pid) {
    const TempDir dir;
    const SessionWriter session = open(dir / "d");
    EXPECT_TRUE(contains(fault(ErrorKind::usage, [&] { open(dir / "d"); }),
                         "in use by process " + std::to_string(::getpid())));
    EXPECT_TRUE(fs::exists(dir / "d/lock"));
}

TEST(SessionLock, moving_a_writer_keeps_the_lock_once) {
    const TempDir dir;
    SessionWriter first = open(dir / "d");
    SessionWriter second = std::move(first);
    EXPECT_NE(fault(ErrorKind::usage, [&] { open(dir / "d"); }), "");
    second = open(dir / "other");
    EXPECT_FALSE(fs::exists(dir / "d/lock"));
    EXPECT_TRUE(fs::exists(dir / "other/lock"));
}

TEST(SessionLock, lock_of_a_killed_owner_is_taken_over_with_a_warning) {
    const TempDir dir;
    std::optional<SessionWriter> held;
    Child child([&] { held.emplace(open(dir / "d")); });
    EXPECT_TRUE(contains(fault(ErrorKind::usage, [&] { open(dir / "d"); }),
                         "in use by process " + std::to_string(child.pid())));
    const std::string owner = std::to_string(child.pid());
    child.kill();
    EXPECT_EQ(read_file(dir / "d/lock"), owner);
    Diagnostics notes;
    const SessionWriter session(dir / "d", false, notes);
    ASSERT_EQ(notes.warnings().size(), 1u);
    EXPECT_TRUE(contains(notes.warnings()[0], "process " + owner));
    EXPECT_EQ(read_file(dir / "d/lock"), std::to_string(::getpid()));
}

TEST(SessionLock, session_is_in_use_as_long_as_its_owner_is_there) {
    const TempDir dir;
    fs::create_directory(dir / "d");
    EXPECT_FALSE(is_session_in_use(dir / "d"));
    Child child([&] { new SessionWriter(open(dir / "d")); });  // killed, it leaves the lock
    EXPECT_TRUE(is_session_in_use(dir / "d"));
    child.kill();
    EXPECT_TRUE(fs::exists(dir / "d/lock"));
    EXPECT_FALSE(is_session_in_use(dir / "d"));
    dir.write("d/lock", "noise");
    EXPECT_FALSE(is_session_in_use(dir / "d"));
}

TEST(SessionLock, pid_of_a_living_stranger_does_not_hold_it) {
    const TempDir dir;
    for (const char* content : {"1", "", "noise\n", "99999999999999999999", "4194305"}) {
        dir.write("d/lock", content);
        open(dir / "d");
        EXPECT_FALSE(fs::exists(dir / "d/lock")) << content;
    }
}

TEST(SessionLock, pid_of_a_living_classic_daemon_holds_it) {
    const TempDir dir;
    const Child daemon([] {
        const Fd comm = open_file("/proc/self/comm", O_WRONLY);
        write_fd(comm.get(), "oprofiled", "comm");
    });
    dir.write("d/lock", std::to_string(daemon.pid()));
    EXPECT_TRUE(contains(fault(ErrorKind::usage, [&] { open(dir / "d"); }),
                         "in use by process " + std::to_string(daemon.pid())));
    EXPECT_TRUE(fs::exists(dir / "d/lock"));
}

TEST(SessionLock, files_with_a_second_name_are_not_written_to) {
    const TempDir dir;
    const std::string precious = dir.write("precious", "precious");
    fs::create_directories(dir / "d/samples");
    fs::create_hard_link(precious, dir / "d/lock");
    EXPECT_TRUE(contains(fault(ErrorKind::input, [&] { open(dir / "d"); }), "d/lock has a second name"));
    fs::remove(dir / "d/lock");
    fs::create_hard_link(precious, dir / "d/samples/operf.log");
    SessionWriter session = open(dir / "d");
    session.begin(false);
    EXPECT_TRUE(contains(fault(ErrorKind::input, [&] { session.append_account("operf.log", {}); }),
                         "operf.log has a second name"));
    EXPECT_EQ(read_file(precious), "precious");
}

TEST(SessionLock, fork_of_the_owner_does_not_release_it) {
    const TempDir dir;
    std::optional<SessionWriter> session(open(dir / "d"));
    Child child([&] { session.reset(); });
    EXPECT_EQ(read_file(dir / "d/lock"), std::to_string(::getpid()));
}

TEST(SessionLock, lock_removed_by_hand_and_taken_by_another_is_left_alone) {
    const TempDir dir;
    std::optional<SessionWriter> first(open(dir / "d"));
    fs::remove(dir / "d/lock");
    const SessionWriter second = open(dir / "d");
    first.reset();
    EXPECT_TRUE(fs::exists(dir / "d/lock"));
}

TEST(SessionLock, traps_in_its_place_are_refused) {
    const TempDir dir;
    fs::create_directories(dir / "d");
    fs::create_symlink(dir.write("victim", "x"), dir / "d/lock");
    EXPECT_NE(fault(ErrorKind::system, [&] { open(dir / "d"); }), "");
    EXPECT_EQ(read_file(dir / "victim"), "x");
    fs::remove(dir / "d/lock");
    ASSERT_EQ(::mkfifo((dir / "d/lock").c_str(), 0600), 0);
    EXPECT_TRUE(contains(fault(ErrorKind::input, [&] { open(dir / "d"); }), "not a regular file"));
}

}  // namespace op
