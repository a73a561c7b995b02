// SPDX-License-Identifier: GPL-2.0-or-later
// fork, hold, exec, wait.
#include "daemon/run/child_process.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "libop/base/child_signal.h"
#include "libop/base/error.h"
#include "libop/base/text.h"

namespace op::collect {
namespace {

/// P_PIDFD of waitid(2), which glibc before 2.36 does not name.
constexpr auto by_pidfd = static_cast<idtype_t>(3);

struct Pipe {
    Fd read, write;
    Pipe() {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0) throw_system("cannot make a pipe");
        read.reset(ends[0]);
        write.reset(ends[1]);
    }
};

std::string exec_message(const std::string& name, int error) {
    if (error == ENOENT && name.find('/') == std::string::npos) return name + ": no such program in PATH";
    if (error == ENOENT) return name + ": no such program (or its interpreter is missing)";
    return "cannot run " + name + ": " + errno_text(error);
}

}  // namespace

std::string find_program(const std::string& word) {
    std::vector<std::string> candidates;
    if (word.find('/') != std::string::npos) {
        candidates.push_back(word);
    } else {
        const char* path = ::getenv("PATH");
        for (const auto dir : split(path ? path : "/usr/bin:/bin", ':'))
            candidates.push_back(std::string(dir.empty() ? "." : dir) + "/" + word);
    }
    int error = ENOENT;
    for (const std::string& candidate : candidates) {
        struct stat st {};
        if (::stat(candidate.c_str(), &st) != 0) continue;
        if (S_ISREG(st.st_mode) && ::access(candidate.c_str(), X_OK) == 0) return candidate;
        error = S_ISDIR(st.st_mode) ? EISDIR : EACCES;
    }
    throw_usage(exec_message(printable(word), error));
}

std::string ChildEnd::text() const {
    if (!signalled) return "exited with status " + std::to_string(code);
    const char* description = ::sigdescr_np(code);
    return "was killed by signal " + std::to_string(code) +
           (description ? std::string(" (") + description + ")" : "") +
           (killed_here ? ", sent from here: it had been asked to end and went on" : "");
}

ChildProcess::ChildProcess(std::vector<std::string> words, const sigset_t& mask)
    : name_(printable(words.at(0))) {
    Pipe hold, failure;
    const struct sigaction child_signal = keep_child_statuses();
    pid_ = ::fork();
    if (pid_ < 0) throw_system("cannot start " + name_);
    if (pid_ == 0) {
        hold.write.reset();
        ::sigaction(SIGCHLD, &child_signal, nullptr);
        run_child(words, mask, std::move(hold.read), std::move(failure.write));
    }
    hold_ = std::move(hold.write);
    failure_ = std::move(failure.read);
    pidfd_.reset(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
    if (!pidfd_) {
        const int error = errno;
        hold_.reset();
        ::waitpid(pid_, nullptr, 0);
        throw_system("cannot watch the process of " + name_, error);
    }
}

ChildProcess::~ChildProcess() {
    if (!hold_ || end_) return;
    hold_.reset();  // the child reads end of file and exits
    siginfo_t info{};
    wait(info, 0);
}

bool ChildProcess::wait(siginfo_t& info, int options) const noexcept {
    int result;
    do {
        result = ::waitid(by_pidfd, static_cast<id_t>(pidfd_.get()), &info, WEXITED | options);
    } while (result != 0 && errno == EINTR);
    return result == 0;
}

void ChildProcess::run_child(const std::vector<std::string>& words, const sigset_t& mask, Fd hold,
                             Fd failure) noexcept {
    std::vector<char*> argv;
    for (const std::string& word : words)
        argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    char go = 0;
    if (::read(hold.get(), &go, 1) != 1) ::_exit(127);
    ::sigprocmask(SIG_SETMASK, &mask, nullptr);
    ::execvp(argv[0], argv.data());
    const int error = errno;
    [[maybe_unused]] const auto n = ::write(failure.get(), &error, sizeof error);
    ::_exit(127);
}

void ChildProcess::release() {
    if (::write(hold_.get(), "g", 1) != 1) throw_system("cannot start " + name_);
    hold_.reset();
    int error = 0;
    ssize_t n;
    do {
        n = ::read(failure_.get(), &error, sizeof error);
    } while (n < 0 && errno == EINTR);
    failure_.reset();
    if (n != sizeof error) return;
    siginfo_t info{};
    wait(info, 0);
    end_ = ChildEnd{false, 127};
    throw_usage(exec_message(name_, error));
}

std::optional<ChildEnd> ChildProcess::poll_end() {
    if (end_) return end_;
    siginfo_t info{};
    if (!wait(info, WNOHANG)) throw_system("cannot find out how " + name_ + " ended");
    if (info.si_pid == 0) return std::nullopt;
    end_ = ChildEnd{info.si_code != CLD_EXITED, info.si_status};
    end_->killed_here = is_killed_ && end_->signalled && end_->code == SIGKILL;
    return end_;
}

void ChildProcess::signal(int number) noexcept {
    if (end_) return;
    is_killed_ |= number == SIGKILL;
    ::syscall(SYS_pidfd_send_signal, pidfd_.get(), number, nullptr, 0);
}

}  // namespace op::collect
