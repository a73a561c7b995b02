// SPDX-License-Identifier: GPL-2.0-or-later
// Requests over HTTP and TLS. The one door to libcurl, which this header does not include. Knows nothing of
// the server's language. Follows no redirection: a server that has moved is for a person to look at.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace op::fleet {

/// What holds for all requests to one server. Paths are of PEM files; empty = not given.
struct HttpSettings {
    std::string ca_file;              ///< whose certificates are trusted; empty = the system's
    std::string certificate;          ///< of this client
    std::string key;                  ///< its private key; empty = in the file of the certificate
    bool ignores_proxy = false;       ///< the environment's: for servers on this machine
    long connect_seconds = 10;        ///< to open a connection
    long answer_seconds = 300;        ///< for a whole request
    size_t answer_limit = 256 << 20;  ///< bytes of an answer
};

struct HttpRequest {
    std::string url;
    std::vector<std::string> headers;  ///< "NAME: VALUE"
    std::string_view body;             ///< sent as it is, by POST
};

/// An answer, or the lack of one.
struct HttpAnswer {
    int status = 0;  ///< 0 = there was no complete answer
    std::string body;
    std::string failure;    ///< why there was none
    bool is_final = false;  ///< no answer, and asking again is useless: a certificate, a bad host name
    std::optional<uint64_t> retry_after;  ///< seconds, of the header Retry-After
    std::optional<int64_t> date;  ///< the server's clock in seconds since the epoch, of the header Date
};

/// A connection, kept open from one request to the next. One request at a time; not thread-safe.
class HttpClient {
public:
    /// Throws a system error if libcurl cannot be used.
    explicit HttpClient(const HttpSettings& settings);
    HttpClient(HttpClient&&) noexcept;
    HttpClient& operator=(HttpClient&&) noexcept;
    ~HttpClient();

    /// Sends a request and waits for its answer. The lack of one is no error here.
    HttpAnswer post(const HttpRequest& request);

private:
    struct Handle;
    std::unique_ptr<Handle> handle_;
};

/// Takes a line of an answer's head into it: Retry-After and Date. Other lines change nothing, and what is
/// not understood neither. `now` in seconds since the epoch, where Retry-After is a date and Date is missing.
void take_header(std::string_view line, int64_t now, HttpAnswer& answer);
/// Seconds since the epoch of a date like "Wed, 25 Nov 2026 21:15:47 GMT" (RFC 9110, 5.6.7); only this form,
/// which servers have to send.
std::optional<int64_t> parse_http_date(std::string_view text);
/// The text for a place in the query of a URL: all but letters, digits and "-._~" as %XX.
std::string percent_encoded(std::string_view text);

}  // namespace op::fleet
