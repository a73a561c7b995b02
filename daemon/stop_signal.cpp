// SPDX-License-Identifier: GPL-2.0-or-later
// signalfd over the signals that mean "stop".
#include "daemon/stop_signal.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include "libop/error.h"

namespace op::collect {

StopSignals::StopSignals() {
    sigset_t stop;
    ::sigemptyset(&stop);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT})
        ::sigaddset(&stop, number);
    ::sigprocmask(SIG_BLOCK, &stop, &old_);
    fd_.reset(::signalfd(-1, &stop, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!fd_) throw_system("cannot watch for signals");
}

StopSignals::~StopSignals() {
    ::sigprocmask(SIG_SETMASK, &old_, nullptr);
}

StopSignals::Received StopSignals::take() noexcept {
    signalfd_siginfo info{};
    if (::read(fd_.get(), &info, sizeof info) != sizeof info) return {};
    return {static_cast<int>(info.ssi_signo), info.ssi_code == SI_KERNEL};
}

}  // namespace op::collect
