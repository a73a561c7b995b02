// SPDX-License-Identifier: GPL-2.0-or-later
// Counts samples by program and command name, and remembers the names of sampled threads. Bounded as
// RecordedNames is. Reads no /proc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "libop/base/intern.h"
#include "libop/session/recorded_names.h"

namespace op::collect {

/// Placed samples in a row, of one thread and command name. They are counted when the run ends, so that no
/// sample costs more for its name.
struct NamedRun {
    uint32_t tgid = 0, tid = 0;
    uint32_t app = 0;  ///< cookie
    std::string comm;
    uint64_t begin = 0;  ///< the number of samples before it
};

/// Not thread-safe.
class CommandNames {
public:
    /// The counter of samples of no known program or name; they are not described.
    static constexpr uint32_t unnamed = 0;

    /// The number of the counter for a program's samples while its process has that name; if there is no
    /// room, that of the program's other names, or of left-out programs. `unnamed` without a program or name.
    /// Valid until clear().
    uint32_t counter(StringId application, std::string_view name);
    void add(uint32_t counter, uint64_t samples) noexcept { counts_[counter] += samples; }
    /// All samples added since clear(), whatever their counter. Adds up all counters.
    uint64_t total() const noexcept;

    /// Remembers the name of a thread whose samples have files of their own.
    void note_thread(uint32_t tgid, uint32_t tid, std::string_view name);
    /// The name of a thread has changed; of one that was not noted nothing is kept.
    void rename_thread(uint32_t tgid, uint32_t tid, std::string_view name);

    /// Forgets all counts and names.
    void clear();
    /// What was counted; `names` has the texts of the applications.
    RecordedNames describe(const StringTable& names) const;

private:
    static constexpr uint32_t left_out = 1, first_named = 2;

    struct NamedCounter {
        std::string name;  ///< "" for the names beyond the limits
        uint32_t counter;
    };

    uint32_t add_counter(std::vector<NamedCounter>& known, std::string_view name);

    std::unordered_map<StringId, std::vector<NamedCounter>> counters_;   ///< by application
    std::vector<uint64_t> counts_ = std::vector<uint64_t>(first_named);  ///< by counter
    size_t names_ = 0;                                                   ///< counters of names, without ""
    RecordedNames threads_;                                              ///< without commands
};

}  // namespace op::collect
