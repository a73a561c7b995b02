// SPDX-License-Identifier: GPL-2.0-or-later
// SIGCHLD as waiting for children needs it. See waitpid(2), NOTES.
#pragma once

#include <signal.h>

namespace op {

/// After it, the end of a child can be waited for, also if this process was started with SIGCHLD ignored: the
/// kernel then keeps no child's status. Returns what SIGCHLD did before, for a program started here.
struct sigaction keep_child_statuses() noexcept;

}  // namespace op
