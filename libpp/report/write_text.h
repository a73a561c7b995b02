// SPDX-License-Identifier: GPL-2.0-or-later
// What the parts of the text writer share.
#pragma once

#include <string>

#include "libpp/report/report.h"
#include "libpp/report/writer.h"

namespace op::pp {

/// The lines above a report, each ended.
std::string banner_text(const ReportHead& head);

/// Ends the line that begins at `start` of the text, cut and coloured as the style asks for. `share` is the
/// row's first, in percent.
void end_row(std::string& text, size_t start, double share, const TextStyle& style);

std::string write_symbols_text(const SymbolReport& report, const TextStyle& style);
std::string write_callgraph_text(const CallgraphReport& report, const TextStyle& style);

}  // namespace op::pp
