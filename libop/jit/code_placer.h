// SPDX-License-Identifier: GPL-2.0-or-later
// Which generation of code samples met, by their times and a jitdump's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "libop/jit/code_history.h"
#include "libop/jit/jitdump.h"

namespace op {

/// Something that ran: when, in ns of CLOCK_MONOTONIC, and at which run-time address.
struct CodeMoment {
    uint64_t time = 0, address = 0;

    bool operator==(const CodeMoment&) const = default;
};

/// Not thread-safe.
class CodePlacer {
public:
    /// In any order; must outlive the object. At most 2^32 - 1.
    explicit CodePlacer(std::span<const CodeMoment> moments);

    void take(const JitLoad& load);
    void take(const JitMove& move);
    void take(const JitUnload& unload);
    /// The records taken.
    uint64_t records() const noexcept { return records_; }
    /// The generation of each moment, in their order. Nothing may be taken afterwards.
    std::vector<uint8_t> finish();

private:
    void advance(uint64_t time);
    void place_next();

    std::span<const CodeMoment> moments_;
    std::vector<uint32_t> by_time_;
    size_t placed_ = 0;  ///< of by_time_
    std::vector<uint8_t> generations_;
    CodeHistory history_;
    uint64_t records_ = 0;
};

}  // namespace op
