// SPDX-License-Identifier: GPL-2.0-or-later
// poll over source, program and signals.
#include "daemon/run/recording.h"

#include <poll.h>

#include <algorithm>
#include <vector>

#include "libop/base/error.h"

namespace op::collect {
namespace {

using TimePoint = std::chrono::steady_clock::time_point;
/// The source is drained this often even if it does not ask for it, so that a crash costs little.
constexpr std::chrono::milliseconds drain_interval{1000};
constexpr std::chrono::seconds checkpoint_interval{60};
/// Then the signals and the program are looked at, however fast the source fills.
constexpr std::chrono::milliseconds longest_drain{100};
constexpr int drain_batches = 1000;

class Loop {
public:
    explicit Loop(const Recording& r) : r_(r), stopping_(r.command, r.signals, r.now) {
        fds_ = {{r.source.wait_fd(), POLLIN, 0}, {r.signals.fd(), POLLIN, 0}};
        if (r.command) fds_.push_back({r.command->wait_fd(), POLLIN, 0});
        for (const int process : r.attached)
            fds_.push_back({process, POLLIN, 0});
    }

    StopReason run() {
        while (!over_) {
            wait();
            has_more_ = drain_some();
            if (program_ended_ && (!r_.command || r_.command->poll_end())) over_ = true;
            stopping_.watch();
            if (stopping_.interrupted() && !r_.command) over_ = true;
            if (r_.round) attempt(r_.round);
            if (r_.checkpoint && r_.now() >= next_checkpoint_) checkpoint();
        }
        return stopping_.reason();
    }

private:
    /// What a source announced once it may not announce again: after a drain that did not take all there is
    /// no waiting.
    void wait() {
        ::poll(fds_.data(), fds_.size(), has_more_ ? 0 : static_cast<int>(drain_interval.count()));
        if (r_.command) program_ended_ = fds_[first_program].revents != 0;
        if (!r_.attached.empty()) drop_ended();
    }

    void drop_ended() {
        const auto has_ended = [](const pollfd& process) { return process.revents != 0; };
        fds_.erase(std::remove_if(fds_.begin() + first_program, fds_.end(), has_ended), fds_.end());
        program_ended_ = fds_.size() == first_program;
    }

    /// Not without end: a source that fills faster than it drains must not hold up the stop signals. True if
    /// there may be more.
    bool drain_some() {
        const TimePoint end = r_.now() + longest_drain;
        for (int i = 0; i < drain_batches; ++i) {
            const auto records = r_.source.drain();
            if (records.empty()) return false;
            r_.sink(records);
            if (r_.now() >= end) break;
        }
        return true;
    }

    /// A disk that is full now may have room at the end.
    void attempt(const std::function<void()>& step) {
        try {
            step();
        } catch (const Error& e) {
            r_.notes.warn(std::string("not saved while recording, which goes on: ") + e.what());
        }
    }

    void checkpoint() {
        attempt(r_.checkpoint);
        next_checkpoint_ = r_.now() + checkpoint_interval;
    }

    const Recording& r_;
    Stopping stopping_;
    static constexpr size_t first_program = 2;
    std::vector<pollfd> fds_;  ///< source, signals, then the command or the attached processes that run on
    bool over_ = false, program_ended_ = false, has_more_ = false;
    TimePoint next_checkpoint_ = r_.now() + checkpoint_interval;
};

bool has_ended(int pidfd) {
    pollfd fd{pidfd, POLLIN, 0};
    return ::poll(&fd, 1, 0) > 0;
}

}  // namespace

StopReason await_end(ChildProcess& command, StopSignals& signals, const Now& now) {
    command.dismiss();
    Stopping stopping(&command, signals, now);
    while (!command.poll_end()) {
        pollfd fds[] = {{command.wait_fd(), POLLIN, 0}, {signals.fd(), POLLIN, 0}};
        ::poll(fds, std::size(fds), static_cast<int>(drain_interval.count()));
        stopping.watch();
    }
    return stopping.reason();
}

void drain_into(SampleSource& source, const std::function<void(std::span<const Record>)>& sink) {
    for (auto records = source.drain(); !records.empty(); records = source.drain())
        sink(records);
}

StopReason record(const Recording& recording) {
    recording.source.start();
    const bool was_too_late =
        !recording.attached.empty() && std::ranges::all_of(recording.attached, has_ended);
    Loop loop(recording);
    if (recording.command) recording.command->release();
    StopReason reason = loop.run();
    if (was_too_late && reason == StopReason::program_ended) reason = StopReason::ended_before;
    recording.source.stop();
    drain_into(recording.source, recording.sink);
    return reason;
}

}  // namespace op::collect
