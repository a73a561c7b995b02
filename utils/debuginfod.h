// SPDX-License-Identifier: GPL-2.0-or-later
// Binaries and debug files from debuginfod servers. The one door to libdebuginfod.
#pragma once

#include <memory>
#include <string>

#include "libop/base/diagnostics.h"
#include "libpp/symbols/symbolizer.h"

namespace op::tool {

/// A source that asks the servers in `urls` (as DEBUGINFOD_URLS has them) or, if it is empty, in
/// DEBUGINFOD_URLS; null if neither names any. The library is loaded at the first question, and a machine
/// without it is a note. A server that does not answer within 20 seconds, or refuses, is a note; none is
/// asked again after that. What is being fetched is told on stderr if that is a terminal. `notes` must
/// outlive the source.
std::unique_ptr<pp::BuildIdSource> open_debuginfod(const std::string& urls, Diagnostics& notes);

}  // namespace op::tool
