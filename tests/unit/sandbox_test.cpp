// SPDX-License-Identifier: GPL-2.0-or-later
// Tries to get out of the sandbox: each attempt is made in a process of its own, in the sandbox and without
// it.
#include "utils/shared/sandbox.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <linux/fs.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <functional>

#include "libop/base/fd.h"
#include "libop/base/sanitized.h"
#include "tests/unit/temp_dir.h"
#include "utils/shared/call_filter.h"
#include "utils/shared/landlock.h"
#include "utils/shared/limits.h"

namespace op::tool {
namespace {

/// What is tried; returns 0 or an errno value.
using Attempt = std::function<int()>;

/// The errno value of a call that returns less than 0 if it fails.
int fault(long result) {
    return result < 0 ? errno : 0;
}

/// What the attempt returns in a process of its own after `before`; 0 also if it starts a program that
/// succeeds.
int fault_after(const std::function<void()>& before, const Attempt& attempt) {
    const pid_t child = ::fork();
    if (child == 0) {
        before();
        ::_exit(attempt());
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int outside(const Attempt& attempt) {
    return fault_after([] {}, attempt);
}

int inside(const Attempt& attempt, const SandboxNeeds& needs = {}) {
    return fault_after(
        [&] {
            Diagnostics notes;
            enter_sandbox(needs, notes);
            if (!notes.warnings().empty()) ::_exit(255);
        },
        attempt);
}

/// Opens a file and closes it.
int open_fault(const std::string& path, int flags) {
    return fault(Fd(::open(path.c_str(), flags | O_CLOEXEC, 0644)).get());
}

/// A process that waits until it is killed.
class Victim {
public:
    Victim() : pid_(::fork()) {
        if (pid_ > 0) return;
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            ::pause();
    }
    Victim(const Victim&) = delete;
    Victim& operator=(const Victim&) = delete;
    ~Victim() {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    pid_t pid() const { return pid_; }

private:
    pid_t pid_;
};

class SandboxFiles : public ::testing::Test {
protected:
    void SetUp() override {
        if (landlock_abi() == 0) GTEST_SKIP() << "this kernel has no Landlock, or it is denied here";
    }
    const test::TempDir dir_;
    const std::string file_ = dir_.write("file", "content");
};

class SandboxCalls : public ::testing::Test {
protected:
    void SetUp() override {
        if (!has_call_filter()) GTEST_SKIP() << "this kernel has no seccomp, or it is denied here";
    }
    /// The call fails in the sandbox and nowhere else.
    static void expect_denied(const char* what, const Attempt& attempt, int error = EPERM) {
        EXPECT_EQ(outside(attempt), 0) << what << " without the sandbox";
        EXPECT_EQ(inside(attempt), error) << what;
    }
    const test::TempDir dir_;
};

}  // namespace

TEST_F(SandboxFiles, are_read) {
    const Attempt read = [&] { return open_fault(file_, O_RDONLY); };
    EXPECT_EQ(inside(read), 0);
    EXPECT_EQ(inside([&] { return open_fault("/", O_RDONLY | O_DIRECTORY); }), 0);
}

TEST_F(SandboxFiles, are_not_written_made_or_removed) {
    const std::string other = dir_ / "other", made = dir_ / "made";
    const Attempt attempts[] = {
        [&] { return open_fault(file_, O_WRONLY); },
        [&] { return open_fault(file_, O_RDWR); },
        [&] { return open_fault(other, O_WRONLY | O_CREAT); },
        [&] { return fault(::mkdir(made.c_str(), 0755)); },
        [&] { return fault(::symlink("x", (dir_ / "link").c_str())); },
        [&] { return fault(::unlink(file_.c_str())); },
    };
    for (const Attempt& attempt : attempts)
        EXPECT_EQ(inside(attempt), EACCES) << &attempt - attempts;
    for (const Attempt& attempt : attempts)
        EXPECT_EQ(outside(attempt), 0) << &attempt - attempts;
}

TEST_F(SandboxFiles, are_not_cut_off) {
    const Attempt cut = [&] { return fault(::truncate(file_.c_str(), 1)); };
    EXPECT_NE(inside(cut), 0);
    EXPECT_EQ(read_file(file_), "content");
    EXPECT_EQ(outside(cut), 0);
}

TEST_F(SandboxFiles, are_not_cut_off_by_opening) {
    if (!has_call_filter()) GTEST_SKIP() << "this kernel has no seccomp, or it is denied here";
    const test::TempDir output;
    for (const int mode : {O_RDONLY, O_WRONLY, O_RDWR, O_ACCMODE}) {
        const Attempt cut = [&] { return open_fault(file_, mode | O_TRUNC); };
        EXPECT_EQ(inside(cut), EACCES) << mode;
        EXPECT_EQ(inside(cut, {.writable_dirs = {output.path()}}), EACCES) << mode;
        EXPECT_EQ(inside(cut, {.runs_programs = true}), EACCES) << mode;
    }
    EXPECT_EQ(read_file(file_), "content");
    EXPECT_EQ(inside([&] { return open_fault(file_, O_ACCMODE); }), EACCES);
    EXPECT_EQ(outside([&] { return open_fault(file_, O_ACCMODE | O_TRUNC); }), 0);
    EXPECT_EQ(read_file(file_), "");
}

TEST_F(SandboxFiles, that_are_devices_are_not_opened_for_writing) {
    const Attempt open = [] { return open_fault("/dev/null", O_WRONLY); };
    EXPECT_EQ(inside(open), EACCES);
    EXPECT_EQ(outside(open), 0);
}

TEST_F(SandboxFiles, that_discard_output_are_for_programs) {
    const Attempt open = [] { return open_fault("/dev/null", O_WRONLY | O_CREAT | O_TRUNC); };
    EXPECT_EQ(inside(open, {.runs_programs = true}), 0);
    EXPECT_EQ(inside([] { return open_fault("/dev/full", O_WRONLY); }, {.runs_programs = true}), EACCES);
    EXPECT_EQ(inside([&] { return open_fault(file_, O_WRONLY); }, {.runs_programs = true}), EACCES);
}

TEST_F(SandboxFiles, are_replaced_below_the_output_directory_only) {
    const test::TempDir output;
    const Attempt replace = [&] {
        const std::string below = output / "below", part = below + "/part", file = below + "/file";
        if (::mkdir(below.c_str(), 0755) != 0) return errno;
        if (const int error = open_fault(part, O_WRONLY | O_CREAT | O_EXCL)) return error;
        return fault(::rename(part.c_str(), file.c_str()));
    };
    EXPECT_EQ(inside(replace, {.writable_dirs = {output.path()}}), 0);
    EXPECT_EQ(inside([&] { return open_fault(file_, O_WRONLY); }, {.writable_dirs = {output.path()}}),
              EACCES);
}

TEST_F(SandboxFiles, are_not_written_where_the_output_directory_is_gone) {
    const auto restrict = [&] {
        ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        if (restrict_files({.writable_dirs = {dir_ / "gone"}}, landlock_abi()) != 0) ::_exit(255);
    };
    EXPECT_EQ(fault_after(restrict, [&] { return open_fault(file_, O_WRONLY); }), EACCES);
    EXPECT_EQ(fault_after(restrict, [&] { return open_fault(file_, O_RDONLY); }), 0);
}

TEST_F(SandboxFiles, are_not_cut_off_by_opening_whatever_landlock_knows) {
    if (!has_call_filter()) GTEST_SKIP() << "this kernel has no seccomp, or it is denied here";
    const auto enter_old = [](bool may_write) {
        return [may_write] {
            ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
            if (restrict_files({}, 2) != 0 || forbid_calls({.may_write = may_write}) != 0) ::_exit(255);
        };
    };
    for (const int mode : {O_RDONLY, O_WRONLY, O_RDWR, O_ACCMODE}) {
        const Attempt cut = [&] { return open_fault(file_, mode | O_TRUNC); };
        EXPECT_EQ(fault_after(enter_old(true), cut), EACCES) << mode;
        EXPECT_EQ(fault_after(enter_old(false), cut), EACCES) << mode;
        EXPECT_EQ(read_file(file_), "content") << mode;
    }
    EXPECT_EQ(outside([&] { return open_fault(file_, O_RDONLY | O_TRUNC); }), 0);
}

TEST_F(SandboxFiles, are_not_executed_unless_that_is_needed) {
    const auto rights = [](bool may_execute) {
        return [may_execute] {
            ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
            if (restrict_files({.may_execute = may_execute}, landlock_abi()) != 0) ::_exit(255);
        };
    };
    const Attempt run = [] {
        ::execl("/bin/true", "true", nullptr);
        return errno;
    };
    EXPECT_EQ(fault_after(rights(true), run), 0);
    EXPECT_EQ(fault_after(rights(false), run), EACCES);
}

TEST_F(SandboxFiles, come_with_a_scope_for_signals) {
    if (landlock_abi() < 6) GTEST_SKIP() << "Landlock restricts signals from ABI 6 on";
    const Victim victim;
    const Attempt signal = [&] { return fault(::kill(victim.pid(), 0)); };
    EXPECT_EQ(outside(signal), 0);
    const auto restrict_only_files = [] {
        ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        if (restrict_files({}, landlock_abi()) != 0) ::_exit(255);
    };
    EXPECT_EQ(fault_after(restrict_only_files, signal), EPERM);
}

TEST_F(SandboxCalls, start_no_program) {
    expect_denied("execve", [] {
        ::execl("/bin/true", "true", nullptr);
        return errno;
    });
    if (is_sanitized) GTEST_SKIP() << "the leak checker starts a process";
    expect_denied("fork", [] {
        const pid_t child = ::fork();
        if (child == 0) ::_exit(0);
        return fault(child);
    });
}

TEST_F(SandboxCalls, start_programs_in_the_sandbox_if_that_is_needed) {
    const Attempt write_by_program = [&] {
        const std::string command = ": 2>&- >'" + (dir_ / "made") + "'";
        ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
        return errno;
    };
    const SandboxNeeds programs{.runs_programs = true};
    EXPECT_EQ(inside([] { return ::execl("/bin/true", "true", nullptr), errno; }, programs), 0);
    EXPECT_EQ(outside(write_by_program), 0);
    if (landlock_abi() == 0) GTEST_SKIP() << "this kernel has no Landlock, or it is denied here";
    EXPECT_NE(inside(write_by_program, programs), 0);
}

TEST_F(SandboxCalls, reach_no_network) {
    expect_denied("socket", [] { return fault(Fd(::socket(AF_UNIX, SOCK_STREAM, 0)).get()); });
    expect_denied("socketpair", [] {
        int ends[2];
        return fault(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
    });
}

TEST_F(SandboxCalls, reach_no_other_process) {
    const Victim victim;
    expect_denied("kill", [&] { return fault(::kill(victim.pid(), 0)); });
    expect_denied("process_vm_readv",
                  [] { return fault(::process_vm_readv(::getpid(), nullptr, 0, nullptr, 0, 0)); });
    if (is_sanitized) GTEST_SKIP() << "the leak checker uses ptrace";
    const Attempt trace = [] { return fault(::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr)); };
    if (outside(trace) != 0) GTEST_SKIP() << "this machine permits no ptrace";
    expect_denied("ptrace", trace);
}

TEST_F(SandboxCalls, signal_this_process) {
    EXPECT_EQ(inside([] { return fault(::kill(::getpid(), 0)); }), 0);
}

TEST_F(SandboxCalls, make_no_namespaces) {
    expect_denied("unshare", [] { return fault(::unshare(0)); });
    EXPECT_EQ(inside([] { return fault(::syscall(SYS_clone3, nullptr, 0)); }), ENOSYS);
}

TEST_F(SandboxCalls, type_nothing_into_the_terminal) {
    const Attempt type = [] { return fault(::ioctl(-1, TIOCSTI, "x")); };
    EXPECT_EQ(outside(type), EBADF);
    EXPECT_EQ(inside(type), EPERM);
}

TEST_F(SandboxCalls, take_the_terminal_from_nobody) {
    for (const unsigned long request : {TIOCSCTTY, TIOCEXCL, TIOCSPGRP}) {
        const Attempt take = [&] { return fault(::ioctl(-1, request, nullptr)); };
        EXPECT_EQ(outside(take), EBADF) << request;
        EXPECT_EQ(inside(take), EPERM) << request;
    }
}

TEST_F(SandboxCalls, make_no_request_but_to_terminals) {
    const Fd file = open_file(dir_.write("file", "content"), O_RDONLY);
    long flags = 0;
    const Attempt get = [&] { return fault(::ioctl(file.get(), FS_IOC_GETFLAGS, &flags)); };
    if (outside(get) == 0) expect_denied("FS_IOC_SETFLAGS", get);
    EXPECT_EQ(inside([&] { return fault(::ioctl(file.get(), FS_IOC_SETFLAGS, &flags)); }), EPERM);
    EXPECT_EQ(inside([&] { return fault(::ioctl(file.get(), FS_IOC_FSSETXATTR, nullptr)); }), EPERM);
    EXPECT_EQ(inside([] { return fault(::ioctl(-1, TIOCGWINSZ, nullptr)); }), EBADF);
    EXPECT_EQ(inside([] { return ::isatty(-1) == 0 ? errno : 0; }), EBADF);
}

TEST_F(SandboxCalls, have_no_signal_sent) {
    const Victim victim;
    const Fd file = open_file(dir_.write("file", "content"), O_RDONLY);
    const auto denied_in = [&](const char* what, int command, auto argument) {
        EXPECT_EQ(inside([&] { return fault(::fcntl(file.get(), command, argument)); }), EPERM) << what;
    };
    expect_denied("F_SETOWN", [&] { return fault(::fcntl(file.get(), F_SETOWN, victim.pid())); });
    expect_denied("F_SETSIG", [&] { return fault(::fcntl(file.get(), F_SETSIG, SIGUSR1)); });
    const f_owner_ex owner{F_OWNER_PID, victim.pid()};
    denied_in("F_SETOWN_EX", F_SETOWN_EX, &owner);
    denied_in("F_SETLEASE", F_SETLEASE, F_RDLCK);
    EXPECT_EQ(inside([&] { return fault(::fcntl(file.get(), F_GETFL)); }), 0);
}

TEST_F(SandboxCalls, slow_and_limit_no_other_process) {
    const Victim victim;
    const rlimit all{RLIM_INFINITY, RLIM_INFINITY};
    rlimit old{};
    expect_denied("prlimit", [&] { return fault(::prlimit(victim.pid(), RLIMIT_CORE, nullptr, &old)); });
    expect_denied("setpriority",
                  [&] { return fault(::setpriority(PRIO_PROCESS, static_cast<id_t>(victim.pid()), 19)); });
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    ::sched_getaffinity(0, sizeof cpus, &cpus);
    expect_denied("sched_setaffinity",
                  [&] { return fault(::sched_setaffinity(victim.pid(), sizeof cpus, &cpus)); });
    EXPECT_EQ(inside([&] { return fault(::getrlimit(RLIMIT_CORE, &old)); }), 0);
    EXPECT_EQ(inside([&] { return fault(::prlimit(::getpid(), RLIMIT_DATA, &all, nullptr)); }), EPERM);
}

TEST_F(SandboxCalls, change_no_times_and_take_no_locks) {
    const std::string file = dir_.write("file", "content");
    expect_denied("flock",
                  [&] { return fault(::flock(open_file(file, O_RDONLY).get(), LOCK_EX | LOCK_NB)); });
    expect_denied("utimensat", [&] { return fault(::utimensat(AT_FDCWD, file.c_str(), nullptr, 0)); });
    const test::TempDir output;
    const SandboxNeeds writes{.writable_dirs = {output.path()}};
    const SandboxNeeds keeps_times{.writable_dirs = {output.path()}, .keeps_times = true};
    EXPECT_EQ(inside([&] { return fault(::utimensat(AT_FDCWD, file.c_str(), nullptr, 0)); }, keeps_times),
              EPERM);
    const Attempt set_times = [&] {
        const Fd made(::open((output / "made").c_str(), O_WRONLY | O_CREAT, 0644));
        return made ? fault(::futimens(made.get(), nullptr)) : errno;
    };
    EXPECT_EQ(inside(set_times, writes), EPERM);
    EXPECT_EQ(inside(set_times, keeps_times), 0);
}

TEST_F(SandboxCalls, take_no_locks_of_parts_of_files) {
    const Fd file = open_file(dir_.write("file", "content"), O_RDWR);
    const SandboxNeeds needs{.descriptors = {file.get()}};
    for (const int command : {F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW}) {
        const Attempt lock = [&] {
            struct flock all {};
            all.l_type = F_WRLCK;
            return fault(::fcntl(file.get(), command, &all));
        };
        EXPECT_EQ(outside(lock), 0) << command;
        EXPECT_EQ(inside(lock, needs), EPERM) << command;
    }
}

TEST_F(SandboxCalls, newer_than_known_are_missing) {
    EXPECT_NE(inside([] { return fault(::syscall(SYS_clone3 + 15, 0, 0, 0, 0)); }), ENOSYS);
    for (const long call : {SYS_clone3 + 16, SYS_clone3 + 28, SYS_clone3 + 34, SYS_clone3 + 165})
        EXPECT_EQ(inside([call] { return fault(::syscall(call, -1, nullptr, 0, 0, 0, 0)); }), ENOSYS) << call;
    EXPECT_EQ(inside([] { return fault(::syscall(SYS_openat2, -1, nullptr, nullptr, 0)); }), ENOSYS);
}

// As on a kernel without Landlock.
TEST_F(SandboxCalls, open_nothing_for_writing_and_make_and_remove_nothing) {
    const std::string file = dir_.write("file", "content"), other = dir_ / "other", made = dir_ / "made";
    const auto filter = [](bool may_write) {
        return [may_write] {
            ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
            if (forbid_calls({.may_write = may_write}) != 0) ::_exit(255);
        };
    };
    const Attempt attempts[] = {
        [&] { return open_fault(file, O_WRONLY); },
        [&] { return open_fault(file, O_RDWR); },
        [&] { return open_fault(other, O_RDONLY | O_CREAT); },
        [&] { return open_fault(dir_.path(), O_WRONLY | O_TMPFILE); },
        [&] { return fault(::mkdir(made.c_str(), 0755)); },
        [&] { return fault(::symlink("x", (dir_ / "link").c_str())); },
        [&] { return fault(::link(file.c_str(), (dir_ / "hard").c_str())); },
        [&] { return fault(::mkfifo((dir_ / "pipe").c_str(), 0600)); },
        [&] { return fault(::rename(other.c_str(), (dir_ / "renamed").c_str())); },
        [&] { return fault(::rmdir(made.c_str())); },
        [&] { return fault(::unlink(file.c_str())); },
    };
    for (const Attempt& attempt : attempts)
        EXPECT_EQ(fault_after(filter(false), attempt), EACCES) << &attempt - attempts;
    EXPECT_EQ(fault_after(filter(false), [&] { return open_fault(file, O_RDONLY); }), 0);
    for (const Attempt& attempt : attempts)
        EXPECT_EQ(fault_after(filter(true), attempt), 0) << &attempt - attempts;
}

TEST_F(SandboxCalls, change_no_modes) {
    const std::string file = dir_.write("file", "content");
    expect_denied("fchmod", [&] { return fault(::fchmod(open_file(file, O_RDONLY).get(), 0666)); });
    expect_denied("chmod", [&] { return fault(::chmod(file.c_str(), 0666)); });
}

TEST(Sandbox, keeps_of_roots_rights_only_that_of_reading) {
    if (::geteuid() != 0) GTEST_SKIP() << "not root";
    EXPECT_EQ(inside([] {
                  __user_cap_header_struct head{};
                  head.version = _LINUX_CAPABILITY_VERSION_3;
                  __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {};
                  if (::syscall(SYS_capget, &head, sets) != 0) return errno;
                  return (sets[0].permitted & ~(1U << CAP_DAC_READ_SEARCH)) == 0 && sets[1].permitted == 0
                             ? 0
                             : EPERM;
              }),
              0);
}

TEST(Sandbox, gets_no_new_privileges_and_leaves_no_core_file) {
    EXPECT_EQ(inside([] { return ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0); }), 1);
    EXPECT_EQ(inside([] {
                  rlimit limit{};
                  return ::getrlimit(RLIMIT_CORE, &limit) == 0 && limit.rlim_max == 0 ? 0 : 1;
              }),
              0);
}

TEST(Sandbox, closes_inherited_descriptors_that_can_be_written_to) {
    const test::TempDir dir;
    const std::string path = dir.write("file", "content");
    const Fd written = open_file(path, O_WRONLY), read = open_file(path, O_RDONLY);
    const Fd kept = open_file(path, O_RDWR), socket(::socket(AF_UNIX, SOCK_STREAM, 0));
    EXPECT_EQ(inside(
                  [&] {
                      const std::array<int, 4> all{written.get(), socket.get(), read.get(), kept.get()};
                      int open = 0;
                      for (size_t i = 0; i < all.size(); ++i)
                          open |= ::fcntl(all[i], F_GETFL) >= 0 ? 1 << i : 0;
                      return open;
                  },
                  {.descriptors = {kept.get()}}),
              0b1100);
}

TEST(Sandbox, lacks_something_where_what_is_missing_is_needed) {
    const std::string missing = missing_sandbox_parts({}),
                      of_output = missing_sandbox_parts({.writable_dirs = {"/x"}});
    const bool has_landlock = landlock_abi() > 0, has_filter = has_call_filter();
    EXPECT_EQ(missing.empty(), has_filter);
    EXPECT_EQ(of_output.empty(), has_landlock && has_filter);
}

TEST(Sandbox, limits_memory_but_not_mapped_files) {
    if (is_sanitized) GTEST_SKIP() << "the address sanitizer reserves terabytes";
    constexpr size_t piece = size_t{1} << 30, largest = (size_t{64} << 30) + piece;  // more than any limit
    const auto too_much = [] {
        rlimit limit{};
        ::getrlimit(RLIMIT_DATA, &limit);
        return std::min<size_t>(limit.rlim_cur, size_t{1} << 40) + piece;
    };
    EXPECT_EQ(inside([&] {
                  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
                  void* const memory = ::mmap(nullptr, too_much(), PROT_READ | PROT_WRITE, flags, -1, 0);
                  return memory == MAP_FAILED ? errno : 0;
              }),
              ENOMEM);
    const test::TempDir dir;
    const std::string path = dir.write("file", "content");
    if (::truncate(path.c_str(), static_cast<off_t>(largest)) != 0) GTEST_SKIP() << "no sparse files here";
    EXPECT_EQ(inside([&] { return MappedFile(path).bytes().size() > piece ? 0 : 1; }), 0);
}

TEST(Sandbox, limit_is_named_where_memory_runs_out) {
    if (is_sanitized) GTEST_SKIP() << "the address sanitizer reserves terabytes";
    EXPECT_EQ(inside([] { return out_of_memory_text().ends_with(" MiB (see --no-sandbox)") ? 0 : 1; }), 0);
    EXPECT_EQ(outside([] { return out_of_memory_text().ends_with("--no-sandbox)") ? 1 : 0; }), 0);
}

TEST(Sandbox, limit_of_memory_is_half_of_the_machines_within_bounds) {
    constexpr uint64_t gib = uint64_t{1} << 30;
    EXPECT_EQ(memory_limit(0), 4 * gib);
    EXPECT_EQ(memory_limit(24 * gib), 12 * gib);
    EXPECT_EQ(memory_limit(1024 * gib), 64 * gib);
}

}  // namespace op::tool
