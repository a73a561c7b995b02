// SPDX-License-Identifier: GPL-2.0-or-later
// oppush to servers of other protocols, and to a directory: sessions become profiles with names, part by
// part.
#pragma once

#include <string>
#include <vector>

#include "fleet/road.h"
#include "utils/report_options.h"
#include "utils/shared/tool.h"

namespace op::tool {

/// What to push, and as whom.
struct StandardRoadOptions {
    fleet::Road road;
    fleet::HttpSettings http;
    std::string password;               ///< empty = none
    std::string host;                   ///< empty = that of the manifest
    std::vector<std::string> sessions;  ///< empty = all rotated ones
    CommonOptions common;
};

/// Pushes the sessions. Parts that a server, or the directory, has accepted before are left out, by the file
/// `fleet.sent` in the session. Returns 0 if everything is there, else 1; each session that is not is a line
/// on stderr. Throws a usage error if there is no such session.
int push_by_standard_road(Tool& tool, const StandardRoadOptions& options);

}  // namespace op::tool
