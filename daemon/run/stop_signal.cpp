// SPDX-License-Identifier: GPL-2.0-or-later
// signalfd over the signals that mean "stop".
#include "daemon/run/stop_signal.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <initializer_list>

#include "libop/base/error.h"

namespace op::collect {

namespace {

sigset_t set_of(std::initializer_list<int> numbers) {
    sigset_t set;
    ::sigemptyset(&set);
    for (const int number : numbers)
        ::sigaddset(&set, number);
    return set;
}

}  // namespace

StopSignals::StopSignals(std::initializer_list<int> further) {
    sigset_t stop = set_of({SIGINT, SIGTERM, SIGHUP, SIGQUIT});
    for (const int number : further)
        ::sigaddset(&stop, number);
    const sigset_t failed_writes = set_of({SIGXFSZ, SIGPIPE});
    ::sigprocmask(SIG_BLOCK, &stop, &old_);
    ::sigprocmask(SIG_BLOCK, &failed_writes, nullptr);
    fd_.reset(::signalfd(-1, &stop, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!fd_) throw_system("cannot watch for signals");
}

StopSignals::Received StopSignals::take() noexcept {
    signalfd_siginfo info{};
    if (::read(fd_.get(), &info, sizeof info) != sizeof info) return {};
    return {static_cast<int>(info.ssi_signo), info.ssi_code == SI_KERNEL};
}

bool StopSignals::is_stop_pending(bool hangup_stops) noexcept {
    sigset_t pending;
    if (::sigpending(&pending) != 0) return false;
    return ::sigismember(&pending, SIGINT) == 1 || ::sigismember(&pending, SIGTERM) == 1 ||
           ::sigismember(&pending, SIGQUIT) == 1 || (hangup_stops && ::sigismember(&pending, SIGHUP) == 1);
}

}  // namespace op::collect
