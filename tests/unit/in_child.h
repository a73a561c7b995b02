// SPDX-License-Identifier: GPL-2.0-or-later
// An action in a process of its own, for what cannot be undone.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <exception>
#include <functional>
#include <string>

#include "libop/base/fd.h"

namespace op::test {

/// Runs `action` in a child process and returns the text that it returns there.
inline std::string in_child(const std::function<std::string()>& action) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return "no pipe";
    const Fd reading(ends[0]);
    Fd writing(ends[1]);
    const pid_t child = ::fork();
    if (child == 0) {
        std::string text;
        try {
            text = action();
        } catch (const std::exception& e) {
            text = std::string("threw: ") + e.what();
        }
        ::_exit(::write(writing.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0
                                                                                                      : 1);
    }
    writing = Fd();
    std::string text;
    char part[4096];
    for (ssize_t n; (n = ::read(reading.get(), part, sizeof part)) > 0;)
        text.append(part, static_cast<size_t>(n));
    int status = -1;
    ::waitpid(child, &status, 0);
    return status == 0 ? text : "the child failed";
}

}  // namespace op::test
