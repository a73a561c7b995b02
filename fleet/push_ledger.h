// SPDX-License-Identifier: GPL-2.0-or-later
// What became of the pushes of a session, in the session's directory: lines for people and for the next push,
// and the rows that a server has accepted, so that a push sends only what changed and a crash repeats one
// batch. Format: doc/FORMATS.md, "What was pushed".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "fleet/sent_rows.h"
#include "libop/base/diagnostics.h"
#include "libop/base/fd.h"

namespace op::fleet {

/// A line of the ledger.
struct LedgerLine {
    std::string target;  ///< https://HOST:PORT/DATABASE
    uint64_t slice = 0;
    uint64_t push = 0;  ///< its number, from 1, for this target and slice
    std::string state;  ///< "pushing 3", "pushed 9 120 0 0", see doc/FORMATS.md
};

/// The line with its checksum, ending in a newline.
std::string ledger_line(const LedgerLine& line);
/// None if the line, without its newline, is damaged or cut off.
std::optional<LedgerLine> parse_ledger_line(std::string_view line);

/// The ledger of one session and target. Without a directory, and where it cannot be written, everything is
/// sent each time. Not thread-safe: who pushes has a lock.
class PushLedger {
public:
    PushLedger() = default;
    /// Reads what the directory has. Its faults are warnings; `session` and `notes` must outlive the object.
    PushLedger(const Fd& session, std::string label, std::string target, uint64_t slice, Diagnostics& notes);

    /// True if the server has this row with its count.
    bool has(const SentRow& row) const { return sent_.has(row); }
    /// The number of rows that the server has.
    size_t size() const { return sent_.size(); }
    /// The number of this push.
    uint64_t push() const { return push_; }

    /// The server has accepted these rows. They are on disk afterwards.
    void add(std::span<const SentRow> rows);
    /// Appends a line, which is on disk afterwards.
    void note(const std::string& state);
    /// Nothing is known to be at the server.
    void forget();
    /// Removes the rows, also those of other targets: the session is complete, and nobody will ask for them.
    void close();

private:
    std::string counts_name() const;
    void read_lines();
    void read_counts();
    void append(const std::string& name, std::string_view bytes, std::optional<size_t> at = {});
    template <class Act>
    void attempt(Act act);

    const Fd* session_ = nullptr;  ///< none = nothing is written
    std::string label_, target_;
    uint64_t slice_ = 0, push_ = 1, batches_ = 0;
    Diagnostics* notes_ = nullptr;
    SentRows sent_;
    size_t counts_bytes_ = 0;  ///< of the file of rows, as far as it is sound
    bool has_whole_lines_ = true;
};

}  // namespace op::fleet
