// SPDX-License-Identifier: GPL-2.0-or-later
// fork, setsid and a pipe that reports when the daemon is ready.
#include "daemon/service/background.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "libop/base/child_signal.h"
#include "libop/base/error.h"

namespace op::collect {

Background::Background(bool foreground) {
    if (foreground) return;
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw_system("cannot make a pipe");
    Fd read_end(ends[0]), write_end(ends[1]);
    keep_child_statuses();
    child_ = ::fork();
    if (child_ < 0) throw_system("cannot start a process");
    pipe_ = std::move(child_ > 0 ? read_end : write_end);
    if (child_ == 0) ::setsid();
}

std::optional<int> Background::parent_status() {
    if (child_ == 0) return std::nullopt;
    char byte = 0;
    ssize_t n;
    while ((n = ::read(pipe_.get(), &byte, 1)) < 0 && errno == EINTR) {
    }
    if (n == 1) return 0;
    int status = 0;
    if (::waitpid(child_, &status, 0) != child_ || !WIFEXITED(status)) return 1;
    return WEXITSTATUS(status);
}

void Background::ready() {
    if (!pipe_) return;
    const Fd null = open_file("/dev/null", O_RDWR);
    if (::chdir("/") != 0) throw_system("cannot go to /");
    if (::write(pipe_.get(), "r", 1) != 1) throw_system("whoever started this is gone");
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        ::dup2(null.get(), fd);
    pipe_.reset();
}

}  // namespace op::collect
