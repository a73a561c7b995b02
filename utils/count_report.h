// SPDX-License-Identifier: GPL-2.0-or-later
// What ocount prints. JSON is in utils/count_report_json.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "daemon/count/count_loop.h"

namespace op::tool {

/// What stays the same from block to block.
struct CountReport {
    enum class Kind { command, processes, threads, cpus, system };
    Kind kind = Kind::command;
    std::string command;              ///< its words, if counting lasts as long as one
    std::vector<uint32_t> numbers;    ///< of the processes, threads or CPUs, as asked for
    std::vector<std::string> events;  ///< labels, by the index that rows have
    collect::CountSeparation separation = collect::CountSeparation::none;
    bool has_intervals = false;
};

/// Why a row that was not counted was not, in words.
std::string reason_not_counted(const collect::CountRow& row);

/// The layout for people; `time` is now, in seconds since 1970.
std::string count_report_text(const CountReport& report, const collect::CountBlock& block, int64_t time);
/// A line a row, fields separated by commas.
std::string count_report_brief(const CountReport& report, const collect::CountBlock& block, int64_t time);
/// An object in a line. Layout: doc/FORMATS.md, "Counts as JSON".
std::string count_report_json(const CountReport& report, const collect::CountBlock& block, int64_t time);

}  // namespace op::tool
