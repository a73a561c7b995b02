// SPDX-License-Identifier: GPL-2.0-or-later
// Looks into /proc where the records of a source leave a gap. What it reads is limited, because other users
// choose how often and how much that is.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>

#include "daemon/source/proc_scan.h"
#include "libop/stream/record.h"

namespace op::collect {

/// What is missing for a sample.
enum class Gap {
    module,   ///< the kernel's module that its address is in
    process,  ///< everything about its process
    mapping,  ///< the mapping that its address is in; the program of its process is known
    changes,  ///< everything about its process: records of what changed were lost
};

/// Called for a sample for which something is missing. Returns records that may explain it, valid until the
/// next call; of a whole process none if it is gone, only its name if it has no memory, nullopt if nobody
/// could look. A sample's time of 0 is an unknown time.
using FillGaps = std::function<std::optional<std::span<const Record>>(const Sample&, Gap)>;

/// Reads /proc again, at most once a second per process, longer for a process with many mappings, and for all
/// processes together at most `bytes_a_second`, so that a stream of gaps costs little. Not thread-safe.
class GapFiller {
public:
    /// Returns everything about the process, or of Gap::mapping only the mappings, up to
    /// ScanBudget::of_process; of a process that is about to end, or of the kernel, no mappings. Empty = it
    /// is gone, nullopt = it is too soon to look or the process may not be looked into. Valid until the next
    /// call.
    std::optional<std::span<const Record>> operator()(const Sample& sample, Gap gap);

    static constexpr uint64_t bytes_a_second = uint64_t{16} << 20;
    /// Of one process.
    static constexpr uint64_t process_bytes_a_second = uint64_t{1} << 18;

private:
    /// When a process may be looked into again, in ns of sample time.
    using Times = std::unordered_map<uint32_t, uint64_t>;

    bool is_due(uint32_t tgid, uint64_t now);
    void charge(uint32_t tgid, uint64_t now, uint64_t read);

    RecordList list_;
    Times next_look_;        ///< by tgid
    uint64_t next_any_ = 0;  ///< when any process may be looked into
};

/// Looks at all processes after a loss of the side band: for a recording whose gaps nobody fills, because it
/// is read later. Not thread-safe.
class LossScan {
public:
    /// To be called with all records of a recording, and the time (ns). Returns what is to be recorded after
    /// them, mostly nothing: all processes once after each loss, as far as a budget goes, but at most once a
    /// second, less often where there are many. Valid until the next call.
    std::span<const Record> operator()(std::span<const Record> records, uint64_t now);

private:
    RecordList list_;
    bool is_wanted_ = false;
    uint64_t next_look_ = 0;
};

}  // namespace op::collect
