// SPDX-License-Identifier: GPL-2.0-or-later
// The default disposition instead of an inherited one.
#include "libop/base/child_signal.h"

namespace op {

struct sigaction keep_child_statuses() noexcept {
    struct sigaction usual {
    }, before{};
    usual.sa_handler = SIG_DFL;
    ::sigaction(SIGCHLD, &usual, &before);
    return before;
}

}  // namespace op
