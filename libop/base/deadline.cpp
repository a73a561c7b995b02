// SPDX-License-Identifier: GPL-2.0-or-later
// Waiting with poll(2), which a signal interrupts.
#include "libop/base/deadline.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>

namespace op {

using std::chrono::milliseconds;

milliseconds Deadline::left() const noexcept {
    return std::max(std::chrono::ceil<milliseconds>(end_ - std::chrono::steady_clock::now()),
                    milliseconds(0));
}

bool wait_readable(int fd, Deadline deadline) noexcept {
    for (;;) {
        pollfd one{fd, POLLIN, 0};
        const int n = ::poll(&one, 1, static_cast<int>(deadline.left().count()));
        if (n >= 0 || errno != EINTR) return n > 0;
    }
}

}  // namespace op
