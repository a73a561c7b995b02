// SPDX-License-Identifier: GPL-2.0-or-later
// A strict subset of RFC 3986: no escapes, no query, no fragment.
#include "fleet/server_url.h"

#include <algorithm>
#include <limits>

#include "libop/base/error.h"
#include "libop/base/text.h"

namespace op::fleet {
namespace {

constexpr size_t longest_name = 200;
constexpr uint16_t plain_port = 8123;

bool is_letter_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool consists_of(std::string_view text, std::string_view others) {
    return !text.empty() && text.size() <= longest_name && std::ranges::all_of(text, [&](char c) {
        return is_letter_or_digit(c) || others.find(c) != others.npos;
    });
}

/// Removes everything up to the first `separator` from the front of `text`, and returns it; empty, and
/// without one, nothing is removed.
std::string_view take_before(std::string_view& text, char separator) {
    const size_t at = text.find(separator);
    if (at == text.npos) return {};
    const std::string_view taken = text.substr(0, at);
    text.remove_prefix(at + 1);
    return taken;
}

[[noreturn]] void refuse(std::string_view text, const std::string& reason) {
    throw_usage(printable(text) + ": " + reason + "; give https://USER@HOST:8443/DATABASE");
}

void take_scheme(std::string_view& rest, ServerUrl& url) {
    if (rest.starts_with("https://")) return rest.remove_prefix(8);
    if (!rest.starts_with("http://"))
        throw_usage("not an address of a server; give https://USER@HOST:8443/DATABASE");
    rest.remove_prefix(7);
    url.is_tls = false;
    url.port = plain_port;
}

void take_database(std::string_view& rest, ServerUrl& url, std::string_view whole) {
    const size_t at = rest.find('/');
    if (at == rest.npos) return;
    const std::string_view name = rest.substr(at + 1);
    rest = rest.substr(0, at);
    if (name.empty()) return;
    if (!consists_of(name, "_") || (name[0] >= '0' && name[0] <= '9'))
        refuse(whole, "the database's name has other characters than letters, digits and _");
    url.database = name;
}

void take_user(std::string_view& rest, ServerUrl& url, std::string_view whole) {
    if (rest.find('@') == rest.npos) return;
    const std::string_view user = take_before(rest, '@');
    if (!consists_of(user, "_.-")) refuse(whole, "no name of a user before the @");
    url.user = user;
}

void parse_port(std::string_view text, ServerUrl& url, std::string_view whole) {
    const auto port = parse_number(text);
    if (!port || *port == 0 || *port > std::numeric_limits<uint16_t>::max()) refuse(whole, "no such port");
    url.port = static_cast<uint16_t>(*port);
}

void parse_host(std::string_view rest, ServerUrl& url, std::string_view whole) {
    if (rest.starts_with('[')) {
        rest.remove_prefix(1);
        url.host = take_before(rest, ']');
        if (!consists_of(url.host, ":.")) refuse(whole, "no address between the brackets");
        if (rest.starts_with(':')) return parse_port(rest.substr(1), url, whole);
        if (!rest.empty()) refuse(whole, "no port behind the brackets");
        return;
    }
    const size_t colon = rest.find(':');
    url.host = rest.substr(0, colon);
    if (!consists_of(url.host, ".-_")) refuse(whole, "no name of a host");
    if (colon != rest.npos) parse_port(rest.substr(colon + 1), url, whole);
}

}  // namespace

std::string ServerUrl::base() const {
    const std::string shown = host.find(':') == host.npos ? host : "[" + host + "]";
    return std::string(is_tls ? "https://" : "http://") + shown + ":" + std::to_string(port) + "/";
}

std::string ServerUrl::text() const {
    const std::string address = base();
    const size_t at = address.find("//") + 2;
    return address.substr(0, at) + user + "@" + address.substr(at) + database;
}

bool ServerUrl::is_loopback() const {
    if (host == "localhost" || host == "::1") return true;
    const auto parts = split(host, '.');
    return parts.size() == 4 && parts[0] == "127" && std::ranges::all_of(parts, [](std::string_view part) {
               const auto number = parse_number(part);
               return number && *number <= 255;
           });
}

ServerUrl parse_server_url(std::string_view text, bool may_be_plain) {
    if (const size_t at = text.find('@'); at != text.npos && text.substr(0, at).rfind(':') != text.find(':'))
        throw_usage("the address has a password in it, which everybody can read; give --password-file=FILE");
    ServerUrl url;
    std::string_view rest = text;
    take_scheme(rest, url);
    take_database(rest, url, text);
    take_user(rest, url, text);
    parse_host(rest, url, text);
    if (!url.is_tls && !url.is_loopback() && !may_be_plain)
        throw_usage(url.base() +
                    ": plain http would send the password and the profile in the open; give https, or "
                    "--insecure-http if nobody else is on the way");
    return url;
}

}  // namespace op::fleet
