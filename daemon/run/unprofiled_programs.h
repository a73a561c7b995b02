// SPDX-License-Identifier: GPL-2.0-or-later
// Programs that the kernel does not let a user profile with the command that starts them: those that have
// other rights than their user, and those that the user may not read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "libop/stream/record.h"

namespace op::collect {

/// Finds processes whose events the kernel closed when they called exec. It reports their exit then, though
/// they go on (seen on Linux 6.1 and 6.18; perf_event_open(2) does not mention it). Only for the events of
/// processes, not of CPUs.
class UnprofiledPrograms {
public:
    /// Nothing is known of a process that has ended by now.
    void look(std::span<const Record> records);
    /// To be called before the command is started, which may end before its exit is looked at: whether it is
    /// such a program shows its file. `word` as for find_program(), which throws.
    void look_at_command(const std::string& word, uint32_t pid);
    /// "NAME (process NUMBER)" of the first ones, in the order of their starts.
    const std::vector<std::string>& names() const noexcept { return names_; }

private:
    static constexpr size_t most_names = 8;

    void add(const std::string& name, uint32_t pid);

    std::vector<std::string> names_;
    uint32_t command_ = 0;  ///< the command, if it is among them
};

}  // namespace op::collect
