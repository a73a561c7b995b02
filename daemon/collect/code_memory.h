// SPDX-License-Identifier: GPL-2.0-or-later
// The machine code that programs made at run time, looked at in their memory while they run. Nothing of it is
// kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include "daemon/collect/address_space.h"
#include "daemon/unwind/function_entry.h"
#include "daemon/unwind/unwind_rule.h"
#include "libop/base/address.h"
#include "libop/base/fd.h"

namespace op::collect {

/// Of the host's processes. Knows nothing of a process that has ended, or whose memory may not be read. Not
/// thread-safe.
class CodeMemory {
public:
    /// If the processes are not `local`, there is nothing to be read.
    explicit CodeMemory(bool local) : is_local_(local) {}

    /// See rule_without_frame() of daemon/unwind; `no_info` too where the code is not known.
    UnwindRule rule_without_frame(const Region& region, uint32_t tgid, RuntimeAddress address);
    /// True if nothing returns to the address: no call ends before it, and HotSpot pushes no such address
    /// itself (is_pushed_target()); false too where the code is not known.
    bool is_after_no_call(const Region& region, uint32_t tgid, RuntimeAddress address);

    /// True if a call of a constant address ends before `returns_to` in the region, and that address is at
    /// most longest_thunk bytes before `address`.
    bool is_entered_by(const Region& region, uint32_t tgid, RuntimeAddress returns_to,
                       RuntimeAddress address);

    static constexpr uint64_t farthest_entry = 1 << 16, longest_thunk = 256;  ///< bytes

    /// Allows the reads that one stack may need.
    void begin_stack() noexcept {
        left_ = most_of_stack;
        now_ = 0;
    }
    /// What find_by_entry() found for the address within the last second; null = it was not asked. Valid
    /// until the next call.
    const UnwindRule* known_by_entry(uint32_t tgid, RuntimeAddress address);
    /// The rule by the last entry of a function from `start` to the address, not farther than farthest_entry;
    /// see FunctionEntry::rule(). `end` is where the mapped code ends. `no_info` too where the code is not
    /// known, but `unsupported` if the process is known to have functions that need such a rule, and beyond
    /// what one stack may need.
    UnwindRule find_by_entry(RuntimeAddress start, RuntimeAddress end, uint32_t tgid, RuntimeAddress address);

private:
    static constexpr size_t most_refused = 4096, most_sized = 4096, most_seen = 4096;
    static constexpr uint64_t most_of_stack = 8 * farthest_entry;

    /// What was found in code not long ago.
    struct Seen {
        uint64_t address = 0;
        uint32_t tgid = 0;
        bool is_called = false;  ///< something returns to the byte behind the address
        bool has_rule = false;
        uint64_t until = 0;  ///< monotonic ns
        UnwindRule rule;     ///< valid with `has_rule`
    };

    Seen& seen(uint32_t tgid, RuntimeAddress address);
    std::optional<FoundEntry> entry_before(RuntimeAddress start, RuntimeAddress end, uint32_t tgid,
                                           RuntimeAddress address);
    std::span<const std::byte> read(uint32_t tgid, RuntimeAddress start, std::span<std::byte> bytes);
    bool open(uint32_t tgid);
    uint64_t now();

    bool is_local_;
    Fd file_;                               ///< of the process that was looked at last
    uint32_t tgid_ = 0;                     ///< that process
    uint32_t gone_ = 0;                     ///< a process whose memory could not be opened
    uint64_t gone_until_ = 0;               ///< monotonic ns; it is not tried again before
    std::unordered_set<uint32_t> refused_;  ///< processes whose memory may not be read
    std::unordered_set<uint32_t> sized_;    ///< processes that have functions with frames of a size
    std::vector<Seen> seen_;                ///< by a hash; empty before the first use
    uint64_t left_ = most_of_stack;         ///< bytes that may be looked at for this stack
    uint64_t now_ = 0;                      ///< monotonic ns; 0 = not asked yet for this stack
};

}  // namespace op::collect
