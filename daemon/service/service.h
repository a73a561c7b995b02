// SPDX-License-Identifier: GPL-2.0-or-later
// The daemon at work: drains the source into the session, does what is asked, keeps the times. Opening
// things, becoming a daemon and options are not its duty.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "daemon/collect/rotation.h"
#include "daemon/collect/session_keeper.h"
#include "daemon/run/stop_signal.h"
#include "daemon/service/control_server.h"
#include "daemon/service/service_log.h"
#include "daemon/source/sample_source.h"
#include "libop/control/control.h"

namespace op::collect {

/// How the daemon was set up; the texts are for `status`.
struct ServiceOptions {
    std::string source, model, separate, vmlinux, session_dir;
    bool start = false;    ///< sample at once
    bool verbose = false;  ///< every request into the log
    std::chrono::seconds dump_interval{60};
    RotationSettings rotation = {};
    ReadClocks clocks = read_clocks;  ///< for rotation
};

/// What it works with. Everything outlives it.
struct ServiceParts {
    SampleSource& source;
    SessionWriter& session;
    SessionKeeper& keeper;
    ServiceLog& log;
    Diagnostics& notes;
};

/// Records until a request or signal ends it. Failures of the source or the disk do not: they are logged
/// once, and every sample is stored or counted. Not thread-safe.
class Service {
public:
    using Clock = std::chrono::steady_clock;
    /// Not sampling yet.
    Service(ServiceParts parts, ServiceOptions options);

    /// Starts sampling if the options contain that, then works until a shutdown request (0) or SIGTERM,
    /// SIGINT or SIGQUIT (1); then stores everything. HUP reopens files, USR1 and USR2 start and stop
    /// sampling. Calls `ready` once it works; throws what that throws, and if sampling was to start at
    /// once and could not.
    int run(ControlServer& control, StopSignals& signals, const std::function<void()>& ready);

    /// Does a request. Never throws for what was asked.
    ControlReply handle(const ControlRequest& request, ClientRole role);
    /// One round of what is due: drains some, dumps if it is time. For run() and tests.
    void turn(Clock::time_point now);
    /// How long run() waits for something to do; not at all if the source had more than a round takes.
    std::chrono::milliseconds time_to_wait(Clock::time_point now) const;
    void on_signal(int number);
    bool sampling() const noexcept { return state_ == State::sampling; }
    bool over() const noexcept { return over_; }

private:
    enum class State { stopped, sampling, failed };

    void wait(ControlServer& control, StopSignals& signals);
    void drain_some(Clock::time_point now);
    /// Not without end: what comes meanwhile is for the next round. True if there was a record.
    bool drain_batches_of_source();
    void rest_if_idle(Clock::time_point now, bool got_any);
    void finish();

    void start();
    void stop();
    void end_sampling(State next);
    void dump() { dump(sampling()); }
    /// `is_unfinished`: more samples of the session may come.
    void dump(bool is_unfinished);
    void reset();
    void save(const std::string& name);
    void rotate();
    void reopen();
    void write_account();

    /// Runs one piece of work; logs a failure and returns false then.
    bool attempt(const std::string& work, const std::function<void()>& step);
    void carry_out(const ControlRequest& request, ClientRole role, ControlReply& reply);
    void add_status(ControlReply& reply);
    void add_rotation(ControlReply& reply, const SessionInfo& run);
    bool is_recent(Clock::time_point dump) const;

    ServiceParts p_;
    ServiceOptions o_;
    Rotation rotation_;
    State state_ = State::stopped;
    std::string failure_;     ///< why sampling ended by itself
    std::string last_fault_;  ///< of attempt()
    bool over_ = false;
    int status_ = 0;
    Clock::time_point began_, next_dump_, next_account_;
    std::optional<Clock::time_point> last_dump_;
    int idle_rounds_ = 0;           ///< consecutive wake-ups without a record
    Clock::time_point rest_until_;  ///< the source is not waited for until then
    bool source_ready_ = false;
    bool has_more_ = false;  ///< the last drain of the source did not take all
};

}  // namespace op::collect
