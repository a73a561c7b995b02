// SPDX-License-Identifier: GPL-2.0-or-later
// The daemon's loop and what its requests do.
#include "daemon/service/service.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <exception>
#include <iterator>

#include "daemon/run/recording.h"
#include "libop/base/clock.h"
#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libop/session/session_statistics.h"

namespace op::collect {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// The source is drained this often even if it does not ask for it.
constexpr seconds drain_interval{1};
/// Batches between looks at signals and clients.
constexpr int drain_batches = 200;
/// The classic daemon's statistics come this often.
constexpr seconds account_interval{600};
/// A source that reports ready without delivering records is drained this often, then not for rest_time.
constexpr int idle_limit = 100;
constexpr milliseconds rest_time{200};
/// A stranger's dump is not repeated within this time.
constexpr seconds recent{1};

}  // namespace

Service::Service(ServiceParts parts, ServiceOptions options)
    : p_(parts),
      o_(std::move(options)),
      rotation_(
          p_.session, p_.keeper, o_.rotation, p_.notes, [this](const auto& line) { p_.log.say(line); },
          o_.clocks),
      began_(Clock::now()),
      next_dump_(began_ + o_.dump_interval),
      next_account_(began_ + account_interval) {}

int Service::run(ControlServer& control, StopSignals& signals, const std::function<void()>& ready) {
    if (o_.start) start();
    p_.log.say_all(p_.notes);
    if (ready) ready();
    while (!over_) {
        wait(control, signals);
        turn(Clock::now());
        if (const auto signal = signals.take(); signal.number != 0) on_signal(signal.number);
        control.serve();
    }
    finish();
    return status_;
}

void Service::wait(ControlServer& control, StopSignals& signals) {
    const auto now = Clock::now();
    const bool heed_source = sampling() && now >= rest_until_;
    pollfd fds[] = {{heed_source ? p_.source.wait_fd() : -1, POLLIN, 0},
                    {signals.fd(), POLLIN, 0},
                    {control.fd(), POLLIN, 0}};
    ::poll(fds, std::size(fds), static_cast<int>(time_to_wait(now).count()));
    source_ready_ = fds[0].revents != 0;
}

milliseconds Service::time_to_wait(Clock::time_point now) const {
    if (sampling() && (has_more_ || p_.source.wait_fd() < 0)) return milliseconds(0);
    auto next = std::min(next_dump_, next_account_);
    next = std::min(next, now + drain_interval);
    if (sampling() && rest_until_ > now) next = std::min(next, rest_until_);
    return std::max(std::chrono::ceil<milliseconds>(next - now), milliseconds(0));
}

void Service::turn(Clock::time_point now) {
    if (sampling()) drain_some(now);
    attempt("rotating the session", [this] { rotation_.look(); });
    if (now >= next_dump_) {
        next_dump_ = now + o_.dump_interval;
        if (sampling()) attempt("writing the session", [this] { dump(); });
    }
    if (now >= next_account_) {
        next_account_ = now + account_interval;
        write_account();
    }
    p_.log.say_all(p_.notes);
}

void Service::drain_some(Clock::time_point now) {
    bool got_any = false;
    const bool fine = attempt("reading samples", [&] { got_any = drain_batches_of_source(); });
    if (!fine) {
        failure_ = last_fault_;
        return end_sampling(State::failed);
    }
    if (p_.source.wait_fd() < 0 && !has_more_) {
        p_.log.say("the source has ended");
        return end_sampling(State::stopped);
    }
    rest_if_idle(now, got_any);
}

bool Service::drain_batches_of_source() {
    has_more_ = false;  // stays so after an exception
    for (int i = 0; i < drain_batches; ++i) {
        const auto records = p_.source.drain();
        if (records.empty()) return i > 0;
        p_.keeper.process(records);
        if (p_.keeper.collector().take_stack_wish()) p_.source.copy_larger_stacks();
    }
    return has_more_ = true;
}

void Service::rest_if_idle(Clock::time_point now, bool got_any) {
    idle_rounds_ = source_ready_ && !got_any ? idle_rounds_ + 1 : 0;
    source_ready_ = false;
    if (idle_rounds_ >= idle_limit) rest_until_ = now + rest_time;
}

bool Service::attempt(const std::string& work, const std::function<void()>& step) {
    try {
        step();
        p_.log.recovered(work);
        return true;
    } catch (const std::exception& e) {
        last_fault_ = e.what();
        p_.log.trouble(work, last_fault_);
        return false;
    }
}

void Service::start() {
    if (sampling()) return;
    p_.source.start();
    state_ = State::sampling;
    failure_.clear();
    idle_rounds_ = 0;
    has_more_ = false;
    rest_until_ = {};
    p_.log.say("sampling");
}

void Service::stop() {
    if (!sampling()) return;
    end_sampling(State::stopped);
    p_.keeper.save();  // waits longer for names
    dump();
}

/// Whatever fails on the way, sampling is over afterwards.
void Service::end_sampling(State next) {
    state_ = next;
    attempt("stopping", [this] {
        p_.source.stop();
        drain_into(p_.source, [this](auto records) { p_.keeper.process(records); });
    });
    p_.log.say(next == State::failed ? "sampling ended by a fault" : "sampling stopped");
}

void Service::dump(bool is_unfinished) {
    if (sampling()) drain_batches_of_source();
    p_.keeper.collector().retry_files();
    p_.session.write_statistics(p_.keeper.whole(p_.keeper.checkpoint(is_unfinished)));
    last_dump_ = Clock::now();
    next_dump_ = *last_dump_ + o_.dump_interval;
}

void Service::reset() {
    // Closed first: whatever of the old files cannot be removed, what comes is seen by readers.
    p_.keeper.collector().reopen_files();
    p_.session.reset();
    p_.keeper.begin_run();
    rotation_.begin_slice();
    p_.log.say("the session was reset");
}

void Service::save(const std::string& name) {
    check_session_name(name);
    if (sampling()) drain_batches_of_source();
    p_.keeper.end_slice({.stop_time = static_cast<uint64_t>(epoch_seconds())});
    p_.session.save_as(name);
    p_.log.say("the session was saved as " + name);
    p_.keeper.begin_run();
    rotation_.begin_slice();
}

void Service::rotate() {
    if (sampling()) drain_batches_of_source();
    rotation_.cut();
}

void Service::reopen() {
    p_.log.reopen();
    attempt("reopening the session", [this] {
        p_.keeper.store_held();  // by the numbers of the old files
        p_.session.begin(true);
        p_.keeper.collector().reopen_files();
        dump();
    });
    p_.log.say("files reopened");
}

void Service::write_account() {
    attempt("writing the session", [this] {
        dump();
        p_.log.write(account_text(p_.keeper.flush_and_account()));
    });
}

void Service::finish() {
    if (sampling()) end_sampling(State::stopped);
    attempt("writing the session", [this] { p_.keeper.save(); });
    write_account();
    p_.log.say_all(p_.notes);
    p_.log.say("ended: " + samples_text(p_.keeper.flush_and_account().ledger));
}

void Service::on_signal(int number) {
    switch (number) {
        case SIGHUP:
            return reopen();
        case SIGUSR1:
            attempt("starting", [this] { start(); });
            return;
        case SIGUSR2:
            attempt("stopping", [this] { stop(); });
            return;
        case SIGTERM:
        case SIGINT:
        case SIGQUIT:
            p_.log.say("ended by signal " + std::to_string(number));
            status_ = 1;
            over_ = true;
            return;
        default:
            return;
    }
}

ControlReply Service::handle(const ControlRequest& request, ClientRole role) {
    ControlReply reply;
    if (o_.verbose && role == ClientRole::owner) p_.log.say("asked: " + to_text(request));
    try {
        carry_out(request, role, reply);
    } catch (const std::exception& e) {
        reply.error = e.what();
        p_.log.say("error: " + to_text(request) + ": " + reply.error);
    }
    p_.log.say_all(p_.notes);
    return reply;
}

bool Service::is_recent(Clock::time_point dump) const {
    return Clock::now() - dump < recent;
}

void Service::carry_out(const ControlRequest& request, ClientRole role, ControlReply& reply) {
    switch (request.verb) {
        case ControlVerb::status:
            reply.add("session-dir", o_.session_dir);
            if (role != ClientRole::stranger) add_status(reply);
            return;
        case ControlVerb::dump:
            if (role != ClientRole::stranger || !last_dump_ || !is_recent(*last_dump_)) dump();
            return;
        case ControlVerb::start:
            return start();
        case ControlVerb::stop:
            return stop();
        case ControlVerb::reset:
            return reset();
        case ControlVerb::save:
            return save(request.argument);
        case ControlVerb::rotate:
            return rotate();
        case ControlVerb::shutdown:
            over_ = true;
            return;
    }
}

void Service::add_status(ControlReply& reply) {
    constexpr const char* states[] = {"stopped", "sampling", "failed"};
    const SessionInfo run = p_.keeper.flush_and_account();
    reply.add("state", states[static_cast<int>(state_)]);
    if (state_ == State::failed) reply.add("failure", failure_);
    reply.add("pid", std::to_string(::getpid()));
    const auto up = std::chrono::duration_cast<seconds>(Clock::now() - began_);
    reply.add("uptime", std::to_string(up.count()));
    reply.add("source", o_.source);
    if (!o_.model.empty()) reply.add("model", o_.model);
    reply.add("cpu-type", run.cpu_type_name);
    for (const RecordedEvent& event : run.events)
        reply.add("event", event.spec() + (event.throttled ? " throttled" : ""));
    reply.add("separate", o_.separate);
    reply.add("vmlinux", o_.vmlinux);
    reply.add("session", p_.session.current_path());
    reply.add("sampled", std::to_string(run.ledger.sampled()));
    reply.add("stored", std::to_string(run.ledger.stored()));
    reply.add("lost", std::to_string(run.ledger.lost()));
    for (int i = 0; i < loss_causes; ++i) {
        const auto cause = static_cast<LossCause>(i);
        if (const uint64_t lost = run.ledger.lost(cause))
            reply.add("lost-" + std::string(loss_name(cause)), std::to_string(lost));
    }
    add_rotation(reply, run);
}

void Service::add_rotation(ControlReply& reply, const SessionInfo& run) {
    if (o_.rotation.period == 0) return;
    const RotationStatus status = rotation_.status();
    reply.add("rotation",
              "every " + period_text(o_.rotation.period) + ", next at " + date_text(status.next_cut));
    reply.add("rotated-sessions", std::to_string(status.rotated) + ", " + std::to_string(status.bytes) +
                                      " bytes, not pushed " + std::to_string(status.unpushed));
    if (!run.dropped.is_empty())
        reply.add("dropped-unpushed", std::to_string(run.dropped.samples()) + " samples, session " +
                                          run.dropped.rows().back().session);
}

}  // namespace op::collect
