// SPDX-License-Identifier: GPL-2.0-or-later
// The options by which commands reach the fleet's server.
#pragma once

#include <string>
#include <vector>

#include "fleet/server.h"
#include "utils/shared/options.h"

namespace op::tool {

/// Where the server is and how it knows who asks.
struct ConnectionOptions {
    std::string to, password_file, ca_file, certificate, key;
    bool insecure_http = false;

    /// Rows for CommandSyntax; they point into this object.
    std::vector<Option> table();
    /// Throws a usage error if --to is missing or wrong, an input error if others may read the file of the
    /// password or of the key, a system error if one cannot be read. Connects to nothing yet.
    fleet::Server server() const;
};

/// The first line of a file that only its owner, who is root or the effective user, may read. Throws an input
/// error or a system error.
std::string read_secret(const std::string& path);

}  // namespace op::tool
