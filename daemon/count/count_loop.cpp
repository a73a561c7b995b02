// SPDX-License-Identifier: GPL-2.0-or-later
// poll over program and signals, with intervals.
#include "daemon/count/count_loop.h"

#include <poll.h>

#include <algorithm>

namespace op::collect {
namespace {

using std::chrono::milliseconds;

/// Tasks that are not ours are looked at this often; a command's time of grace is watched as closely.
constexpr milliseconds look_interval{100};
/// Where nothing has to be looked at.
constexpr milliseconds longest_wait{1000};

class Loop {
public:
    explicit Loop(const Counting& c) : c_(c), stopping_(c.command, c.signals, c.now) {}

    StopReason run() {
        while (!over()) {
            wait();
            stopping_.watch();
            if (has_intervals() && !intervals_done_ && c_.now() >= next_) end_interval();
        }
        c_.source.stop();
        if (!intervals_done_) report();
        return intervals_done_ && !stopping_.interrupted() ? StopReason::intervals_over : stopping_.reason();
    }

private:
    bool has_intervals() const { return c_.intervals.length.count() > 0; }

    bool over() {
        if (c_.command) return c_.command->poll_end().has_value();
        return intervals_done_ || stopping_.interrupted() || (c_.has_ended && c_.has_ended());
    }

    milliseconds wait_time() const {
        const bool looks = c_.has_ended || stopping_.interrupted() || intervals_done_;
        milliseconds time = looks ? look_interval : longest_wait;
        if (has_intervals() && !intervals_done_)
            time = std::min(time, std::chrono::ceil<milliseconds>(next_ - c_.now()));
        return std::max(time, milliseconds{0});
    }

    void wait() const {
        pollfd fds[] = {{c_.signals.fd(), POLLIN, 0}, {c_.command ? c_.command->wait_fd() : -1, POLLIN, 0}};
        ::poll(fds, std::size(fds), static_cast<int>(wait_time().count()));
    }

    void end_interval() {
        report();
        while (next_ <= last_)
            next_ += c_.intervals.length;
        intervals_done_ = ++reported_ == c_.intervals.number;
        if (intervals_done_) stopping_.end_command();
    }

    void report() {
        auto readings = c_.source.read();
        const auto now = c_.now();
        c_.sink({now - last_, make_count_rows(c_.source.counters(), before_, readings, c_.separation)});
        before_ = std::move(readings);
        last_ = now;
    }

    const Counting& c_;
    Stopping stopping_;
    std::vector<CounterReading> before_;
    std::chrono::steady_clock::time_point last_ = c_.now(), next_ = last_ + c_.intervals.length;
    uint64_t reported_ = 0;  ///< intervals
    bool intervals_done_ = false;
};

}  // namespace

StopReason count_events(const Counting& counting) {
    Loop loop(counting);  // begins to measure time
    counting.source.start();
    if (counting.command) counting.command->release();
    return loop.run();
}

}  // namespace op::collect
