// SPDX-License-Identifier: GPL-2.0-or-later
// Passing signals on; the time of grace.
#include "daemon/run/stopping.h"

namespace op::collect {
namespace {

/// Time a command has to end after it was asked to: servers and encoders have files to complete then.
constexpr std::chrono::seconds grace{10};

}  // namespace

void Stopping::watch() {
    if (now_() >= kill_at_) command_->signal(SIGKILL);
    const auto received = signals_.take();
    if (received.number == 0) return;
    if (command_) pass_on(received.number, received.from_terminal);
    interrupted_ = true;
}

void Stopping::end_command() {
    if (command_) pass_on(SIGTERM, false);
}

void Stopping::pass_on(int number, bool has_it) {
    if (asked_) {
        command_->signal(SIGKILL);
    } else {
        if (!has_it) command_->signal(number);
        kill_at_ = now_() + grace;
        asked_ = true;
    }
}

}  // namespace op::collect
