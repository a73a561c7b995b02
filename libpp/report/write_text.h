// SPDX-License-Identifier: GPL-2.0-or-later
// The shared parts of the text writer.
#pragma once

#include <string>

#include "libpp/report/report.h"
#include "libpp/report/writer.h"

namespace op::pp {

/// The classic lines above a report, each ended.
std::string banner_text(const ReportHead& head);

/// The same if they are shown in that style, else nothing: on a terminal events, processor and directory are
/// one line, and processes and threads have their names.
std::string head_text(const ReportHead& head, const TextStyle& style);

/// Ends the line that begins at `start` of the text; cuts and colours it by the style. `share` is the row's
/// first share, in percent.
void end_row(std::string& text, size_t start, double share, const TextStyle& style);

/// "FILE:LINE" as text reports show it.
std::string line_text(const std::optional<SourceLine>& line, bool long_names);

/// " [inclusive: 12]", the samples of a block's function and all it calls; empty if they are not known.
std::string inclusive_text(const CallgraphReport& report, size_t block);

/// "+12.5000", "+++" of what is new, "---" of what is gone; with a "*" behind it if it is significant.
std::string difference_text(const Difference& difference);

/// See leaves_room_for_names(). Not of comparisons.
bool symbols_leave_room(const SymbolReport& report, const TextStyle& style);
bool callgraph_leaves_room(const CallgraphReport& report, const TextStyle& style);
bool call_tree_leaves_room(const CallTreeReport& report, const TextStyle& style);

std::string write_symbols_text(const SymbolReport& report, const TextStyle& style);
std::string write_callgraph_text(const CallgraphReport& report, const TextStyle& style);
std::string write_call_tree_text(const CallTreeReport& report, const TextStyle& style);

}  // namespace op::pp
