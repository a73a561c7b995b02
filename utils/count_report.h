// SPDX-License-Identifier: GPL-2.0-or-later
// The reports of ocount. JSON is in count_report_json.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "daemon/count/count_loop.h"

namespace op::tool {

/// The part of a report that is the same in all blocks.
struct CountReport {
    enum class Kind { command, processes, threads, cpus, system };
    Kind kind = Kind::command;
    std::string command;              ///< its words, if counting lasts as long as a command
    std::vector<uint32_t> numbers;    ///< the processes, threads or CPUs, as given on the command line
    std::vector<std::string> events;  ///< labels, indexed by a row's event
    collect::CountSeparation separation = collect::CountSeparation::none;
    bool has_intervals = false;
};

/// The reason why a row was not counted.
std::string reason_not_counted(const collect::CountRow& row);

/// The layout for people; `time` is now, in seconds since 1970.
std::string count_report_text(const CountReport& report, const collect::CountBlock& block, int64_t time);
/// One line per row, fields separated by commas.
std::string count_report_brief(const CountReport& report, const collect::CountBlock& block, int64_t time);
/// One JSON object on one line. Layout: doc/FORMATS.md, "Counts as JSON".
std::string count_report_json(const CountReport& report, const collect::CountBlock& block, int64_t time);

}  // namespace op::tool
