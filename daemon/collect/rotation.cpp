// SPDX-License-Identifier: GPL-2.0-or-later
// When to cut is decided by the calendar clock alone, so that a slice is a day of everybody's calendar. With
// the other clock, a day that has passed differs from a clock that was set.
#include "daemon/collect/rotation.h"

#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "libop/base/clock.h"
#include "libop/base/counted.h"
#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libop/session/session_files.h"
#include "libop/session/session_statistics.h"
#include "libop/stacks/recover_account.h"

namespace op::collect {
namespace {

constexpr uint64_t second_ns = 1'000'000'000;
/// What the calendar clock may differ from the other one between two looks: more than any slewing, and than a
/// recorder held up by its disk can mistake.
constexpr int64_t largest_drift = 60;
constexpr uint64_t retry_ns = 60 * second_ns, limits_ns = 60 * second_ns;
/// For so long the clock has to have been left alone before anything is dropped for its age: a clock that is
/// wrong at boot by years must not cost all sessions.
constexpr uint64_t steady_ns = 3600 * second_ns;

uint64_t seconds_between(const ClockPair& begin, const ClockPair& end) {
    return (end.elapsed_ns - begin.elapsed_ns) / second_ns;
}

/// Seconds that the calendar clock was set by between the two.
int64_t clock_step(const ClockPair& before, const ClockPair& now) {
    return static_cast<int64_t>(now.calendar - before.calendar) -
           static_cast<int64_t>(seconds_between(before, now));
}

std::string step_text(int64_t seconds) {
    return "the clock was set " + std::string(seconds > 0 ? "forward" : "back") + " by " +
           std::to_string(seconds > 0 ? seconds : -seconds) + " s";
}

}  // namespace

ClockPair read_clocks() noexcept {
    timespec elapsed{};
    ::clock_gettime(CLOCK_BOOTTIME, &elapsed);
    return {static_cast<uint64_t>(epoch_seconds()), static_cast<uint64_t>(nanoseconds(elapsed))};
}

Rotation::Rotation(SessionWriter& session, SessionKeeper& keeper, const RotationSettings& settings,
                   Diagnostics& notes, std::function<void(const std::string&)> say, ReadClocks clocks)
    : session_(session),
      keeper_(keeper),
      settings_(settings),
      notes_(notes),
      say_(std::move(say)),
      clocks_(std::move(clocks)) {
    begin_slice(clocks_());
    last_ = began_;
    steady_since_ns_ = began_.elapsed_ns;
    // A second may have begun since the session's start: the slice is of the day that its manifest has.
    if (const uint64_t start = keeper_.start_time();
        start != 0 && start < began_.calendar && began_.calendar - start < largest_drift)
        began_.calendar = start;
}

void Rotation::begin_slice() {
    begin_slice(clocks_());
}

void Rotation::begin_slice(const ClockPair& now) {
    began_ = now;
    clock_set_ = 0;
}

void Rotation::note_clock(const ClockPair& now) {
    const int64_t step = clock_step(std::exchange(last_, now), now);
    if (std::abs(step) <= largest_drift) return;
    clock_set_ += step;
    steady_since_ns_ = now.elapsed_ns;
}

void Rotation::cut() {
    const ClockPair now = clocks_();
    note_clock(now);
    cut_at(now);
}

void Rotation::look() {
    const ClockPair now = clocks_();
    note_clock(now);
    if (settings_.period == 0) return;
    if (now.elapsed_ns < next_try_ns_) return;
    next_try_ns_ = now.elapsed_ns + retry_ns;  // stays so after an exception
    if (clock_set_ != 0 || period_of(now.calendar) > period_of(began_.calendar)) {
        cut_at(now);
        next_limits_ns_ = 0;
    }
    if (now.elapsed_ns >= next_limits_ns_) {
        keep_limits(now);
        next_limits_ns_ = now.elapsed_ns + limits_ns;
    }
    next_try_ns_ = 0;
}

/// No slice ends before it began, also after a small step back.
void Rotation::cut_at(const ClockPair& now) {
    const int64_t clock_set = clock_set_;
    SliceEnd end{.stop_time = now.calendar};
    if (clock_set != 0 || now.calendar < began_.calendar)
        end.stop_time = began_.calendar + seconds_between(began_, now);
    (clock_set > 0 ? end.clock_set_forward : end.clock_set_back) = static_cast<uint64_t>(std::abs(clock_set));
    const SessionInfo whole = keeper_.end_slice(end);
    const std::string reason = clock_set == 0 ? "" : ", as " + step_text(clock_set);
    if (whole.ledger.sampled() == 0 && whole.dropped.is_empty()) {
        session_.reset();
    } else {
        const std::string name = save_rotated(session_, whole.start_time);
        ++cuts_;
        say_("the session was cut" + reason + ": " + name + " has " + samples_text(whole.ledger));
    }
    begin_slice(now);
    keeper_.begin_run(now.calendar);
}

std::vector<RotatedSession> Rotation::list() {
    std::vector<RotatedSession> sessions;
    std::map<std::string, RotatedSession> known;
    std::map<std::string, uint64_t> bytes;
    for (RotatedSession& session :
         list_rotated(session_.samples_directory(), session_.samples_path(), notes_, known_)) {
        known.emplace(session.name, session);
        if (const auto size = bytes_.find(session.name); size != bytes_.end()) bytes.insert(*size);
        sessions.push_back(std::move(session));
    }
    known_ = std::move(known);
    bytes_ = std::move(bytes);
    return sessions;
}

uint64_t Rotation::bytes_of(const std::vector<RotatedSession>& sessions) {
    uint64_t sum = 0;
    for (const RotatedSession& session : sessions) {
        const auto [size, is_new] = bytes_.try_emplace(session.name, 0);
        if (is_new) size->second = disk_bytes(session_.samples_directory(), session.name);
        sum += size->second;
    }
    return sum;
}

void Rotation::keep_limits(const ClockPair& now) {
    if (settings_.keep == 0 && settings_.disk_cap == 0) return;
    std::vector<RotatedSession> sessions = list();
    if (settings_.keep != 0 && now.elapsed_ns - steady_since_ns_ >= steady_ns)
        drop_old(sessions, now.calendar);
    if (settings_.disk_cap != 0) drop_beyond_cap(sessions);
}

void Rotation::drop_old(std::vector<RotatedSession>& sessions, uint64_t calendar) {
    std::erase_if(sessions, [&](const RotatedSession& session) {
        if (session.stop_time >= calendar || calendar - session.stop_time <= settings_.keep) return false;
        drop(session, "older than " + period_text(settings_.keep));
        return true;
    });
}

void Rotation::drop_beyond_cap(std::vector<RotatedSession>& sessions) {
    const uint64_t current = disk_bytes(session_.samples_directory(), current_session);
    while (!sessions.empty() && bytes_of(sessions) + current > settings_.disk_cap) {
        auto victim = std::ranges::find(sessions, true, &RotatedSession::is_pushed);
        if (victim == sessions.end()) victim = sessions.begin();
        drop(*victim, "to keep to " + std::to_string(settings_.disk_cap) + " bytes");
        sessions.erase(victim);
    }
    const bool is_beyond = current > settings_.disk_cap;
    if (is_beyond && !is_cap_noted_)
        notes_.warn("the session that is being recorded alone takes " + std::to_string(current) +
                    " bytes, more than the limit of " + std::to_string(settings_.disk_cap));
    is_cap_noted_ = is_beyond;
}

/// Counted before it is deleted: a crash in between repeats both, and a name is counted once. On a full disk
/// the account is written by a later dump, as deleting makes room for it.
void Rotation::drop(const RotatedSession& session, const std::string& why) {
    if (!session.is_pushed) {
        keeper_.count_dropped({session.name, session.samples, session.start_time, session.stop_time});
        try {
            keeper_.checkpoint();
        } catch (const Error& error) {
            say_(std::string("the dropped session is not yet counted on disk: ") + error.what());
        }
    }
    session_.remove_saved(session.name);
    bytes_.erase(session.name);
    say_(session.name + " was dropped, " + why + "; " +
         (session.is_pushed ? "it had been pushed"
                            : "it had not been pushed: " + counted(session.samples, "sample") + " lost"));
}

RotationStatus Rotation::status() {
    RotationStatus status;
    if (settings_.period != 0) status.next_cut = (period_of(began_.calendar) + 1) * settings_.period;
    const std::vector<RotatedSession> sessions = list();
    status.rotated = sessions.size();
    status.unpushed = static_cast<uint64_t>(std::ranges::count(sessions, false, &RotatedSession::is_pushed));
    status.bytes = bytes_of(sessions);
    return status;
}

std::string rotate_left_session(SessionWriter& session, Diagnostics& notes) {
    if (holds_only_leavings(session.directory(), session.current_path())) return "";
    recover_account(session, notes);
    auto info = session.read_info(notes);
    if (info && std::exchange(info->unfinished, false)) session.write_info(*info);  // it has all by now
    return save_rotated(session, info ? info->start_time : static_cast<uint64_t>(epoch_seconds()));
}

}  // namespace op::collect
