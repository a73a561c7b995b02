// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/base/fd.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace op {
namespace {

/// In a process that has none of the three: 0, or the number of the first claim that does not hold.
int first_wrong_claim() {
    for (const int fd : {0, 1, 2})
        ::close(fd);
    occupy_standard_descriptors();
    if (Fd(::open("/dev/null", O_WRONLY)).get() <= 2) return 1;
    for (const int fd : {0, 1, 2}) {
        char byte = 0;
        if (::write(fd, "x", 1) != -1 || errno != EBADF) return 2;
        if (::read(fd, &byte, 1) != -1 || errno != EBADF) return 3;
        if (!(::fcntl(fd, F_GETFD) & FD_CLOEXEC)) return 4;
    }
    return 0;
}

}  // namespace

TEST(StandardDescriptors, that_are_closed_are_given_to_no_file_and_stay_unusable) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(first_wrong_claim());
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
}

TEST(StandardDescriptors, that_are_open_are_left_alone) {
    const int before = ::fcntl(STDERR_FILENO, F_GETFL);
    occupy_standard_descriptors();
    EXPECT_EQ(::fcntl(STDERR_FILENO, F_GETFL), before);
}

}  // namespace op
