// SPDX-License-Identifier: GPL-2.0-or-later
// Options of a connection become a server. Secrets come from files and go nowhere but into requests.
#include "utils/opfleet/connection.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "libop/base/access_policy.h"
#include "libop/base/error.h"
#include "libop/base/fd.h"
#include "libop/base/text.h"

namespace op::tool {
namespace {

constexpr size_t longest_password = 1024;

/// Throws unless only its owner may read the file.
void check_secret(const Fd& file, const std::string& path) {
    struct stat st;
    if (::fstat(file.get(), &st) != 0) throw_system("cannot open " + printable(path));
    if (!is_trusted_owner(st.st_uid) || (st.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        throw_input(printable(path) + ": a secret that others can read; chown it to yourself and chmod 0600");
}

}  // namespace

std::string read_secret(const std::string& path) {
    const Fd file = open_regular(path);
    check_secret(file, path);
    const std::string text = read_fd(file.get(), path);
    std::string_view rest = text;
    const std::string secret(take_line(rest));
    // A line of the header it goes into cannot have them either.
    if (secret.empty() || secret.size() > longest_password || printable(secret) != secret)
        throw_input(printable(path) + ": the first line is no password");
    return secret;
}

std::vector<Option> ConnectionOptions::table() {
    return {{"to", 0, &to, "the server and the database there", "https://USER@HOST:8443/DATABASE"},
            {"password-file", 0, &password_file, "a file that only you can read, with the password", "FILE"},
            {"ca-file", 0, &ca_file, "trust the certificates in it, not the system's", "FILE"},
            {"certificate", 0, &certificate, "this client's certificate", "FILE"},
            {"key", 0, &key, "the private key of that certificate", "FILE"},
            {"insecure-http", 0, &insecure_http, "send passwords and profiles unprotected over the network"}};
}

fleet::Server ConnectionOptions::server() const {
    if (to.empty()) throw_usage("give the server: --to=https://USER@HOST:8443/DATABASE");
    fleet::ServerUrl url = fleet::parse_server_url(to, insecure_http);
    fleet::Credentials credentials;
    if (!password_file.empty()) credentials.password = read_secret(password_file);
    if (!key.empty()) check_secret(open_regular(key), key);
    fleet::HttpSettings settings;
    settings.ca_file = ca_file;
    settings.certificate = certificate;
    settings.key = key;
    return fleet::Server(std::move(url), std::move(credentials), std::move(settings));
}

}  // namespace op::tool
