// SPDX-License-Identifier: GPL-2.0-or-later
// The signal mask of the tests.
#pragma once

#include <signal.h>

namespace op::test {

/// Gives the mask of this thread back at its end, and forgets the signals that wait: StopSignals leaves its
/// own blocked, and the programs of the next test would inherit that.
class KeepMask {
public:
    KeepMask() { ::sigprocmask(SIG_BLOCK, nullptr, &mask_); }
    ~KeepMask() {
        sigset_t all;
        ::sigfillset(&all);
        const timespec at_once{};
        while (::sigtimedwait(&all, nullptr, &at_once) > 0) {
        }
        ::sigprocmask(SIG_SETMASK, &mask_, nullptr);
    }
    KeepMask(const KeepMask&) = delete;
    KeepMask& operator=(const KeepMask&) = delete;

private:
    sigset_t mask_;
};

}  // namespace op::test
