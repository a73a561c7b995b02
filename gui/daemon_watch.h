// SPDX-License-Identifier: GPL-2.0-or-later
// Asks the daemon for its state, in a thread of its own: the window never waits for a daemon.
#pragma once

#include <QObject>
#include <QThread>
#include <cstdint>
#include <functional>
#include <string>

namespace op::gui {

/// The daemon as it was when it was asked.
struct DaemonState {
    enum class Run { away, stopped, sampling, failed, unknown };
    Run run = Run::away;
    std::string session_dir;
    uint64_t uptime_seconds = 0, sampled = 0, lost = 0;
    std::string fault;  ///< of Run::failed and Run::unknown

    bool is_there() const { return run != Run::away; }
};

/// The line that shows a state; with `rate`, samples a second since the state before.
std::string state_line(const DaemonState& state, double rate);

/// Asks the daemon behind the socket at `path` for its state, within two seconds.
DaemonState ask_daemon(const std::string& path);
/// Asks it to write all samples to the files. Returns the reason why it did not, or nothing.
std::string flush_daemon(const std::string& path);

/// Asks one question after the other outside the window's thread.
class DaemonWatch {
public:
    using Take = std::function<void(const DaemonState&)>;
    /// `take` is called in the thread of the window.
    DaemonWatch(std::string path, Take take);
    DaemonWatch(const DaemonWatch&) = delete;
    DaemonWatch& operator=(const DaemonWatch&) = delete;
    /// Waits for the answer to a question that is open: some seconds at most.
    ~DaemonWatch();

    /// Asks for the state, unless that question is still open.
    void ask();
    /// Asks for a flush, then for the state; `take_fault` gets flush_daemon()'s result.
    void flush(std::function<void(const std::string&)> take_fault);

private:
    void give(const DaemonState& state);

    std::string path_;
    Take take_;
    bool is_asking_ = false;  ///< window's thread only
    QObject here_;            ///< lives in the window's thread
    QThread thread_;
    QObject there_;  ///< lives in thread_
};

}  // namespace op::gui
