// SPDX-License-Identifier: GPL-2.0-or-later
// Programs that the kernel does not let a user profile with the command that starts them: those that have
// other rights than their user, and those that the user may not read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "libop/stream/record.h"

namespace op::collect {

/// Finds processes whose events the kernel closed when they called exec. It reports their exit then, though
/// they go on, and nothing of them after that (seen on Linux 6.1 and 6.18; perf_event_open(2) does not
/// mention it). Only for the events of processes, not of CPUs.
class UnprofiledPrograms {
public:
    /// Each record, in their order. Nothing is known of a process that has ended by now.
    void look(const Record& record);
    /// To be called before the command is started, as it may end before its exit is looked at: its file shows
    /// whether it is such a program. `word` as for find_program(), which throws.
    void look_at_command(const std::string& word, uint32_t pid);
    /// "NAME (process NUMBER)" of the first ones that were found.
    std::vector<std::string> names() const;

private:
    static constexpr size_t most_names = 8;

    struct Found {
        uint32_t pid;
        std::string name;
    };

    void add(const std::string& name, uint32_t pid);
    bool has(uint32_t pid) const;
    void remove(uint32_t pid);

    std::vector<Found> found_;
};

}  // namespace op::collect
