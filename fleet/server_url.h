// SPDX-License-Identifier: GPL-2.0-or-later
// The address of the fleet's server: https://USER@HOST:PORT/DATABASE.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace op::fleet {

/// A server, a database on it, and the user who asks. Never a password, so that it can be printed.
struct ServerUrl {
    bool is_tls = true;
    std::string user = "default";
    std::string host;  ///< a name or an address; one of IPv6 without its brackets
    uint16_t port = 8443;
    std::string database = "oprofile";  ///< letters, digits and underscores: it may stand in a statement

    /// "https://HOST:PORT/", to which requests go.
    std::string base() const;
    /// "https://USER@HOST:PORT/DATABASE".
    std::string text() const;
    /// True if the host is this machine, over an address that no other machine can listen on.
    bool is_loopback() const;

    bool operator==(const ServerUrl&) const = default;
};

/// Parses an address. Without a port it is 8443, with plain http 8123. Throws a usage error if it is not one,
/// if it has a password in it, or if it is plain http to another machine and not `may_be_plain`.
ServerUrl parse_server_url(std::string_view text, bool may_be_plain);

}  // namespace op::fleet
