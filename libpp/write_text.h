// SPDX-License-Identifier: GPL-2.0-or-later
// What the parts of the text writer share.
#pragma once

#include <string>

#include "libpp/report.h"

namespace op::pp {

/// The lines above a report, each ended.
std::string banner_text(const ReportHead& head);

std::string write_symbols_text(const SymbolReport& report);
std::string write_callgraph_text(const CallgraphReport& report);

}  // namespace op::pp
