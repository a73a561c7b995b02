// SPDX-License-Identifier: GPL-2.0-or-later
// The events of an Akaros trace, as far as it shows what they were. Made from a first pass over the trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "daemon/import/akaros_trace.h"
#include "libop/session/session_info.h"

namespace op::collect {

/// Not thread-safe.
class AkarosEvents {
public:
    /// Traces with others than the first so many events are of no event.
    static constexpr size_t most = 64;

    explicit AkarosEvents(AkarosLayout layout) : layout_(layout) {}

    /// Learns from a trace, in the file's order.
    void note(const AkarosEntry& trace);
    /// The events, at least one. Counts are 1 where the trace does not show them; of a timer, the usual time
    /// between two samples of a CPU, in ns.
    std::vector<RecordedEvent> describe() const;
    /// The index of a trace's event in describe(); `most` if it is not there.
    uint16_t index(const AkarosEntry& trace) const;

private:
    uint64_t source(const AkarosEntry& trace) const noexcept;
    bool is_timer(uint64_t source) const noexcept;
    uint64_t usual_period() const;

    AkarosLayout layout_;
    std::vector<uint64_t> sources_;  ///< of each event, by index
    std::unordered_map<uint64_t, uint16_t> indexes_;
    std::unordered_map<uint32_t, uint64_t> times_;  ///< of the last timer sample of each CPU
    std::vector<uint64_t> periods_;                 ///< ns
};

}  // namespace op::collect
