// SPDX-License-Identifier: GPL-2.0-or-later
// Sends sessions of this machine to the fleet's ClickHouse, where sending again changes nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "utils/opfleet/connection.h"
#include "utils/shared/tool.h"

namespace op::tool {

struct SessionPush {
    ConnectionOptions connection;
    std::string session_dir;
    std::string host;                   ///< replaces the recorded name, if not empty
    bool hashes_host = false;           ///< the name goes as a digest
    bool drops_command = false;         ///< the command line is not sent
    bool leaves_out_files = false;      ///< what only `opfleet show` needs is not sent
    std::optional<uint64_t> wait;       ///< seconds that a busy server is waited for
    std::vector<std::string> sessions;  ///< none = rotated ones that are not marked, and the current one
};

/// Returns the exit status. A session that fails does not keep others from being sent. Throws a usage error
/// if another process pushes the same directory, else as fleet::check_schema().
int push_sessions(Tool& tool, const SessionPush& push);

}  // namespace op::tool
