// SPDX-License-Identifier: GPL-2.0-or-later
// The files beside the sample files, written during and after a run: manifest, kernel symbols, statistics.
// Shared by everything that records; the recorder decides when they are written.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>

#include "daemon/collect/collector.h"
#include "daemon/source/kallsyms_copy.h"
#include "libop/base/diagnostics.h"
#include "libop/session/session.h"
#include "libop/session/session_info.h"

namespace op::collect {

/// Collects one run into a session and keeps the session's own files. Not thread-safe.
class SessionKeeper {
public:
    /// Parameters as Collector's. With `append` the session may contain earlier runs; their manifest is kept
    /// and added to, and each difference from them is a warning (see append_differences). Writes the
    /// manifest. Throws as save() and SessionWriter::list().
    SessionKeeper(SessionWriter& session, const SessionInfo& described, const CollectorOptions& options,
                  bool append, Diagnostics& notes, FillGaps fill_gaps = {});

    Collector& collector() noexcept { return collector_; }
    void process(std::span<const Record> records);

    /// Writes all samples to their files and returns this run's account so far.
    SessionInfo flush_and_account();
    /// The account of the whole session: this run and, if it was appended to, the earlier ones.
    SessionInfo whole(const SessionInfo& run) const;
    /// Keeps all binaries that were replaced, writes the current manifest and returns this run's part of it.
    /// Throws a system error.
    SessionInfo save();
    /// Writes the current manifest, and the kernel's symbols once there are kernel samples, so that a crash
    /// keeps them. Of binaries that were replaced it keeps a few, so that recording goes on.
    SessionInfo checkpoint();
    /// Writes the kernel's symbols if there are kernel samples: of a whole session, those that samples met.
    /// `kept` may have them from the start of the run. Throws a system error.
    void write_met_symbols(KallsymsCopy& kept);

    /// Begins a new run in a session that was reset or saved under another name. Throws as save().
    void begin_run();

private:
    SessionInfo write_account();
    void write_kallsyms(KallsymsCopy& kallsyms, const KernelPages* pages);

    SessionWriter& session_;
    std::optional<SessionInfo> earlier_;
    Collector collector_;
    bool kallsyms_written_ = false;
    std::chrono::steady_clock::time_point next_look_{};  ///< for replaced binaries
};

/// "20145 samples, 12 lost (12 no room in the kernel's buffer)".
std::string summary(const SessionInfo& run);

}  // namespace op::collect
