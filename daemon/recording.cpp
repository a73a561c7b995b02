// SPDX-License-Identifier: GPL-2.0-or-later
// poll over source, program and signals.
#include "daemon/recording.h"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <optional>

namespace op::collect {
namespace {

using Clock = std::chrono::steady_clock;
/// The source is drained this often even if it does not ask for it, so that a crash costs little.
constexpr std::chrono::milliseconds drain_interval{1000};
constexpr std::chrono::seconds checkpoint_interval{60};
constexpr int drain_batches = 1000;
/// Time a command has to end after it was asked to.
constexpr std::chrono::seconds grace{2};

class Loop {
public:
    explicit Loop(const Recording& r) : r_(r) {
        if (r.attached) target_.reset(static_cast<int>(::syscall(SYS_pidfd_open, r.attached, 0)));
    }

    StopReason run() {
        while (!over_) {
            wait();
            drain_some();
            watch_program();
            watch_signals();
            if (r_.checkpoint && Clock::now() >= next_checkpoint_) {
                r_.checkpoint();
                next_checkpoint_ = Clock::now() + checkpoint_interval;
            }
        }
        return interrupted_ ? StopReason::interrupted : StopReason::program_ended;
    }

private:
    void wait() {
        const int program = r_.command ? r_.command->wait_fd() : target_.get();
        pollfd fds[] = {{r_.source.wait_fd(), POLLIN, 0}, {r_.signals.fd(), POLLIN, 0}, {program, POLLIN, 0}};
        ::poll(fds, std::size(fds), static_cast<int>(drain_interval.count()));
        program_ended_ = fds[2].revents != 0;
    }

    /// Not without end: a source that fills faster than it drains must not hold up the stop signals.
    void drain_some() {
        for (int i = 0; i < drain_batches; ++i) {
            const auto records = r_.source.drain();
            if (records.empty()) return;
            r_.sink(records);
        }
    }

    void watch_program() {
        if (program_ended_ && (!r_.command || r_.command->poll_end())) over_ = true;
        if (kill_at_ && Clock::now() >= *kill_at_ && r_.command) r_.command->signal(SIGKILL);
    }

    void watch_signals() {
        const auto received = r_.signals.take();
        if (received.number == 0) return;
        if (!r_.command) {
            over_ = interrupted_ = true;
        } else if (interrupted_) {
            r_.command->signal(SIGKILL);
        } else {
            interrupted_ = true;
            if (!received.from_terminal) r_.command->signal(received.number);
            kill_at_ = Clock::now() + grace;
        }
    }

    const Recording& r_;
    Fd target_;
    bool over_ = false, interrupted_ = false, program_ended_ = false;
    std::optional<Clock::time_point> kill_at_;
    Clock::time_point next_checkpoint_ = Clock::now() + checkpoint_interval;
};

}  // namespace

void drain_into(SampleSource& source, const std::function<void(std::span<const Record>)>& sink) {
    for (auto records = source.drain(); !records.empty(); records = source.drain())
        sink(records);
}

StopReason record(const Recording& recording) {
    recording.source.start();
    Loop loop(recording);
    if (recording.command) recording.command->release();
    const StopReason reason = loop.run();
    recording.source.stop();
    drain_into(recording.source, recording.sink);
    return reason;
}

}  // namespace op::collect
