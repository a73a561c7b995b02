// SPDX-License-Identifier: GPL-2.0-or-later
// The files beside the sample files, written during and after a run: manifest, kernel symbols, statistics.
// Shared by everything that records; the recorder decides when they are written.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>

#include "daemon/collect/collector.h"
#include "daemon/collect/recorder_clock.h"
#include "daemon/jit/jit_capture.h"
#include "daemon/source/kallsyms_copy.h"
#include "libop/base/clock.h"
#include "libop/base/diagnostics.h"
#include "libop/session/session.h"
#include "libop/session/session_info.h"

namespace op::collect {

/// How a run's part of a session ends while recording goes on, see end_slice().
struct SliceEnd {
    uint64_t stop_time = 0;  ///< seconds since the epoch, unless the source knows it
    uint64_t clock_set_forward = 0, clock_set_back = 0;  ///< see SessionInfo
};

/// Collects one run into a session and keeps the session's own files. Not thread-safe.
class SessionKeeper {
public:
    /// Parameters as Collector's. With `append` the session may contain earlier runs; their manifest is kept
    /// and added to, and each difference from them is a warning (see append_differences). The first
    /// run has all that `clock` reads, a later one what it reads more than at its beginning. Writes the
    /// manifest. Throws as save() and SessionWriter::list().
    SessionKeeper(SessionWriter& session, const SessionInfo& described, const CollectorOptions& options,
                  bool append, Diagnostics& notes, FillGaps fill_gaps = {}, RecorderClock clock = {});

    Collector& collector() noexcept { return collector_; }
    /// From now on names of code made at run time are kept with the account. `spawner` must outlive the
    /// object.
    void capture_code(ReaderSpawner& spawner);
    void process(std::span<const Record> records);

    /// Writes all samples to their files and returns this run's account so far.
    SessionInfo flush_and_account();
    /// The account of the whole session: this run and, if it was appended to, the earlier ones.
    SessionInfo whole(const SessionInfo& run) const;
    /// Keeps all binaries that were replaced, writes the manifest, as one whose run has ended, and returns
    /// this run's part of it. Where the limits on images lost samples, notes what most sample files are of:
    /// at the end, as all of them are listed. Throws a system error.
    SessionInfo save();
    /// Writes the current manifest, and the kernel's symbols once there are kernel samples, so that a crash
    /// keeps them. Of binaries that were replaced it keeps a few, so that recording goes on. The manifest is
    /// marked as unfinished unless no samples will come.
    SessionInfo checkpoint(bool is_unfinished = true);
    /// Stores what waits: its files are to be left, or counted. `at_end`: waits for its code as save() does.
    void store_held(bool at_end = false);
    /// Writes the kernel's symbols if there are kernel samples: of a whole session, those that samples met.
    /// `kept` may have them from the start of the run. Throws a system error.
    void write_met_symbols(KallsymsCopy& kept);

    /// Writes everything of the session that is to be saved under another name while recording goes on: all
    /// samples that wait, names of code, kernel symbols, manifest and statistics. No record may be processed
    /// until begin_run(). Returns the account of the whole session. Throws a system error; then the run goes
    /// on.
    SessionInfo end_slice(const SliceEnd& end);
    /// Begins a new run in a session that was reset or saved under another name. Throws as save().
    void begin_run(uint64_t start_time = static_cast<uint64_t>(epoch_seconds()));

    /// Of this run's account, seconds since the epoch.
    uint64_t start_time() const noexcept { return collector_.start_time(); }
    /// Adds a session that was deleted to this run's account.
    void count_dropped(const DroppedSession& dropped) { dropped_.add(dropped); }

private:
    void note_what_fills();
    /// The manifest of a run that begins.
    void write_first();
    SessionInfo write_account(std::chrono::milliseconds names_limit, bool is_last, bool is_unfinished);
    void write_kallsyms(KallsymsCopy& kallsyms, const KernelPages* pages);

    SessionWriter& session_;
    Diagnostics& notes_;
    std::string session_id_;  ///< of a session without earlier runs
    std::optional<SessionInfo> earlier_;
    std::optional<JitCapture> code_;
    Collector collector_;
    bool kallsyms_written_ = false;
    DroppedSessions dropped_;
    RecorderClock clock_;
    RecorderCpu before_;                                 ///< its reading when the run began
    std::chrono::steady_clock::time_point next_look_{};  ///< for replaced binaries
};

}  // namespace op::collect
