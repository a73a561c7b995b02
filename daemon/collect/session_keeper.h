// SPDX-License-Identifier: GPL-2.0-or-later
// What stands beside the sample files while and after they are written: manifest, kernel symbols, statistics.
// Shared by everything that records; when it is done is the recorder's.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>

#include "daemon/collect/collector.h"
#include "libop/base/diagnostics.h"
#include "libop/session/session.h"
#include "libop/session/session_info.h"

namespace op::collect {

/// Collects one run into a session and keeps the session's own files. Not thread-safe.
class SessionKeeper {
public:
    /// Parameters as Collector's. With `append` the session may hold earlier runs, whose manifest is kept and
    /// added to; what this run does otherwise than those is a warning (see append_differences). Writes the
    /// manifest. Throws as save() and SessionWriter::list().
    SessionKeeper(SessionWriter& session, const SessionInfo& described, const CollectorOptions& options,
                  bool append, Diagnostics& notes, FillGaps fill_gaps = {});

    Collector& collector() noexcept { return collector_; }
    void process(std::span<const Record> records) { collector_.process(records); }

    /// Brings all samples into the files and tells this run's account so far.
    SessionInfo flush_and_account();
    /// What the session holds: this run and, if it was appended to, those before.
    SessionInfo whole(const SessionInfo& run) const;
    /// Writes the manifest as of now; gives this run's part. Throws a system error.
    SessionInfo save();
    /// save(), and the kernel's symbols once there are kernel samples, so that a crash leaves them.
    SessionInfo checkpoint();
    /// Writes the kernel's symbols if there are kernel samples. Throws a system error.
    void write_kallsyms();

    /// A new run begins, in a session that was reset or saved under another name. Throws as save().
    void begin_anew();

private:
    void tell_built_anew(const SessionInfo& run);

    SessionWriter& session_;
    std::optional<SessionInfo> earlier_;
    Collector collector_;
    bool kallsyms_written_ = false;
    std::set<std::string> told_;  ///< images of which it was said that they were built anew
    Diagnostics& notes_;
};

/// "20145 samples, 12 lost (12 no room in the kernel's buffer)".
std::string summary(const SessionInfo& run);

}  // namespace op::collect
