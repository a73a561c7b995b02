// SPDX-License-Identifier: GPL-2.0-or-later
// Binaries and debug files from debuginfod servers. The only file that uses libdebuginfod.
#pragma once

#include <memory>
#include <string>

#include "libop/base/diagnostics.h"
#include "libpp/symbols/symbolizer.h"

namespace op::tool {

/// A source that queries the servers in `urls` (in the form of DEBUGINFOD_URLS) or, if it is empty, in
/// DEBUGINFOD_URLS; null if neither names any. The library is loaded by the first query; a note is added if
/// the machine lacks it. A note is added if a server refuses or does not answer within 20 seconds, and no
/// server is queried again after that. The file being fetched is shown on stderr if that is a terminal.
/// `notes` must outlive the source.
std::unique_ptr<pp::BuildIdSource> open_debuginfod(const std::string& urls, Diagnostics& notes);

}  // namespace op::tool
