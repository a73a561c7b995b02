// SPDX-License-Identifier: GPL-2.0-or-later
// Rotation: a session that is recorded for long is cut at the days or hours of the calendar, and what the
// cuts leave is kept below a limit. Each slice is a session of its own with a whole account; no sample is
// lost or counted twice by a cut. Has no timer: whoever records calls look() about once a second.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "daemon/collect/session_keeper.h"
#include "libop/base/diagnostics.h"
#include "libop/control/rotation_settings.h"
#include "libop/session/rotated_sessions.h"
#include "libop/session/session.h"

namespace op::collect {

/// Two clocks at one moment.
struct ClockPair {
    uint64_t calendar = 0;    ///< seconds since the epoch; can be set to anything at any time
    uint64_t elapsed_ns = 0;  ///< CLOCK_BOOTTIME: only grows, also while the machine is suspended
};
using ReadClocks = std::function<ClockPair()>;
/// Those of the machine.
ClockPair read_clocks() noexcept;

/// What status reports.
struct RotationStatus {
    uint64_t next_cut = 0;  ///< seconds since the epoch; 0 = nothing is cut by itself
    uint64_t rotated = 0, unpushed = 0;
    uint64_t bytes = 0;  ///< of all rotated sessions
};

/// Not thread-safe.
class Rotation {
public:
    /// All references outlive the object. `say` gets a line for each cut and each session dropped, for a log.
    /// The slice that begins is the keeper's session.
    Rotation(SessionWriter& session, SessionKeeper& keeper, const RotationSettings& settings,
             Diagnostics& notes, std::function<void(const std::string&)> say,
             ReadClocks clocks = read_clocks);

    /// Cuts if the slice is over: its period of the calendar has passed, or the calendar clock was set by
    /// more than a minute, so that no slice is by two clocks. A clock that is set back by less does not cut
    /// twice at one boundary. Drops what is beyond the limits. Throws a system error; what failed is tried
    /// again a minute later, and until then the slice goes on.
    void look();
    /// Cuts now; if the calendar clock was set since the slice began, as look() would. A slice without any
    /// sample goes on, as a session that begins now. Throws a system error; the slice then goes on.
    void cut();
    /// A new session has begun: the old one was reset, or saved under another name.
    void begin_slice();

    uint64_t cuts() const noexcept { return cuts_; }
    RotationStatus status();

private:
    void note_clock(const ClockPair& now);
    void cut_at(const ClockPair& now);
    void begin_slice(const ClockPair& now);
    void keep_limits(const ClockPair& now);
    void drop_old(std::vector<RotatedSession>& sessions, uint64_t calendar);
    void drop_beyond_cap(std::vector<RotatedSession>& sessions);
    void drop(const RotatedSession& session, const std::string& why);
    uint64_t bytes_of(const std::vector<RotatedSession>& sessions);
    std::vector<RotatedSession> list();
    uint64_t period_of(uint64_t calendar) const { return calendar / settings_.period; }

    SessionWriter& session_;
    SessionKeeper& keeper_;
    RotationSettings settings_;
    Diagnostics& notes_;
    std::function<void(const std::string&)> say_;
    ReadClocks clocks_;
    ClockPair began_;               ///< the slice
    ClockPair last_;                ///< look
    uint64_t steady_since_ns_ = 0;  ///< since then the calendar clock was not set, by elapsed_ns
    uint64_t next_try_ns_ = 0;      ///< after a failure, by elapsed_ns
    int64_t clock_set_ = 0;         ///< seconds, since the slice began
    uint64_t next_limits_ns_ = 0;   ///< when the limits are looked at again
    bool is_cap_noted_ = false;     ///< that the current session alone is beyond it
    uint64_t cuts_ = 0;
    std::map<std::string, RotatedSession> known_;  ///< they do not change, but for the mark
    std::map<std::string, uint64_t> bytes_;        ///< on disk, likewise
};

/// Before a run that rotates: saves what a run before left in samples/current, if it has samples, under a
/// rotated name, with the account that its files call for. `session` has been begun with `append`. Returns
/// the name; "" if there was nothing to save. Throws a system error.
std::string rotate_left_session(SessionWriter& session, Diagnostics& notes);

}  // namespace op::collect
