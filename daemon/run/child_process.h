// SPDX-License-Identifier: GPL-2.0-or-later
// The program being profiled: started held back, released when sampling is armed.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "libop/base/fd.h"

namespace op::collect {

/// How a program ended.
struct ChildEnd {
    bool signalled = false;
    int code = 0;              ///< exit status, or the signal's number
    bool killed_here = false;  ///< with the signal that nobody can hold back, sent by ChildProcess::signal

    bool normal() const noexcept { return !signalled && code == 0; }
    /// "exited with status 3", "was killed by signal 9 (Killed)"; of the latter also whether it came from
    /// here.
    std::string text() const;
};

/// Where exec would find a program: the word itself if it has a '/', else along PATH. Throws a usage error if
/// no executable file is found.
std::string find_program(const std::string& word);

/// A child process. Destroying it while held back ends the child; a running one is left alone.
class ChildProcess {
public:
    /// Forks; the child waits before exec. `mask` is the signal mask it gets. It inherits what SIGCHLD does;
    /// this process itself keeps its children's statuses from here on. Throws a system error.
    ChildProcess(std::vector<std::string> words, const sigset_t& mask);
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;
    ~ChildProcess();

    pid_t pid() const noexcept { return pid_; }
    /// Readable when the child has ended (a pidfd).
    int wait_fd() const noexcept { return pidfd_.get(); }
    /// Lets the child call exec and waits until it did. Throws a usage error if there is no such program or
    /// it cannot be executed.
    void release();
    /// How it ended; none while it runs. Throws a system error if nobody can know.
    std::optional<ChildEnd> poll_end();
    /// Ends a child that is still held back; to others it does nothing.
    void dismiss() noexcept { hold_.reset(); }
    /// Sends a signal to the child.
    void signal(int number) noexcept;

private:
    /// waitid(2) for the child; false with errno set if that fails.
    bool wait(siginfo_t& info, int options) const noexcept;
    [[noreturn]] void run_child(const std::vector<std::string>& words, const sigset_t& mask, Fd hold,
                                Fd failure) noexcept;

    pid_t pid_ = -1;
    Fd pidfd_, hold_, failure_;
    std::string name_;
    std::optional<ChildEnd> end_;
    bool is_killed_ = false;  ///< SIGKILL was sent from here
};

}  // namespace op::collect
