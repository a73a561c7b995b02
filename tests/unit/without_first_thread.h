// SPDX-License-Identifier: GPL-2.0-or-later
// A child process whose first thread has ended while another one runs. /proc shows no memory of the first
// one.
#pragma once

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>

#include "libop/base/kernel_file.h"

namespace op::test {

class WithoutFirstThread {
public:
    WithoutFirstThread() {
        if (::pipe(pipe_) != 0) return;
        pid_ = ::fork();
        if (pid_ == 0) run();
        ::close(pipe_[1]);
        if (::read(pipe_[0], &worker_, sizeof worker_) != sizeof worker_) worker_ = 0;
        ::close(pipe_[0]);
        // Its last step comes after the worker's word.
        while (worker_ != 0 && !read_kernel_link(proc_path(pid(), "exe")).empty())
            ::sched_yield();
    }
    ~WithoutFirstThread() {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    WithoutFirstThread(const WithoutFirstThread&) = delete;
    WithoutFirstThread& operator=(const WithoutFirstThread&) = delete;

    uint32_t pid() const { return static_cast<uint32_t>(pid_); }
    /// The number of the running thread; 0 = it did not start.
    uint32_t worker() const { return static_cast<uint32_t>(worker_); }

private:
    [[noreturn]] void run() {
        pthread_t thread{};
        ::pthread_create(&thread, nullptr, work, &pipe_[1]);
        ::syscall(SYS_exit, 0);  // of this thread only
        ::_exit(0);
    }
    static void* work(void* fd) {
        const auto tid = static_cast<pid_t>(::syscall(SYS_gettid));
        if (::write(*static_cast<int*>(fd), &tid, sizeof tid) != sizeof tid) ::_exit(1);
        for (;;)
            ::pause();
    }

    int pipe_[2] = {-1, -1};
    pid_t pid_ = -1, worker_ = 0;
};

}  // namespace op::test
