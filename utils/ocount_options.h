// SPDX-License-Identifier: GPL-2.0-or-later
// Parses and checks the options of ocount.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "daemon/count/count_loop.h"
#include "libop/events/event_spec.h"
#include "utils/count_report.h"

namespace op::tool {

/// "MSEC[:N]": rounded to tenths of a second, at least one. Throws a usage error.
collect::CountIntervals parse_intervals(const std::string& text);

class CountOptions {
public:
    /// Returns the exit status after help, version or a bad option. Throws a usage error for options that
    /// contradict each other or do not fit this machine's CPUs, and for a command that cannot be
    /// found.
    std::optional<int> parse(int argc, char** argv);

    CountReport::Kind kind() const;
    collect::CountSeparation separation() const;
    collect::CountIntervals intervals() const;
    /// The processes, threads or CPUs that were listed, as given.
    std::vector<uint32_t> numbers() const;

    std::vector<EventSpec> specs;  ///< empty: the default event
    std::vector<pid_t> tasks;      ///< processes or threads, each once
    std::vector<uint32_t> cpus;    ///< all are online
    std::vector<std::string> command;
    std::string output_file, format = "text";
    bool brief = false, verbose = false;

private:
    void check_modes() const;
    void check_separation() const;
    void check_format() const;
    void read_lists();

    bool system_wide_ = false, separate_cpu_ = false, separate_thread_ = false;
    std::vector<std::string> processes_, threads_, cpus_, events_;
    std::string interval_;
};

}  // namespace op::tool
