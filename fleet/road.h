// SPDX-License-Identifier: GPL-2.0-or-later
// Standard roads: profiles for servers that others have written, by protocols that others have defined. Each
// request adds up on the server, so that one whose answer was lost may count twice.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fleet/http.h"
#include "fleet/server_url.h"

namespace op::fleet {

/// Where profiles go.
struct Road {
    enum class Kind : uint8_t { pyroscope, otlp, directory };
    Kind kind = Kind::directory;
    ServerUrl server;       ///< not of a directory; without a database
    std::string directory;  ///< of a directory
};

/// Pyroscope's defaults (pkg/validation/limits.go), and those of its clients.
inline constexpr size_t pyroscope_most_samples = 16000;
inline constexpr size_t pyroscope_most_bytes = size_t{4} << 20;  ///< uncompressed
/// Of a request, which servers of OTLP should accept up to 64 MiB.
inline constexpr size_t otlp_most_bytes = size_t{16} << 20;

/// Parses pyroscope+https://USER@HOST:PORT, otlp+https://HOST:PORT (plain http as parse_server_url) and
/// file:DIR. None for another text. Throws a usage error if it is one of these and wrong. Without a port it
/// is 4040, and 4318 of OTLP.
std::optional<Road> parse_road(std::string_view text, bool may_be_plain);

/// What a request is about.
struct RoadPart {
    std::string application;  ///< the path of its program
    std::string host;
    uint64_t start_time = 0, stop_time = 0;  ///< seconds since the epoch
    uint64_t number = 0;                     ///< of the part, in its session
};

/// The path and query of the request, e.g. "ingest?name=...".
std::string request_target(const Road& road, const RoadPart& part);
/// The file of a part below a directory: HOST/YYYY-MM-DD/SESSION.NUMBER.APPLICATION.pb.gz. No component of
/// it is made of anything but letters, digits, '-', '_' and '.', and none begins with '.'.
std::string part_file(const std::string& session, const RoadPart& part);
/// True for a path that part_file() may have returned: it leads nowhere but below its directory.
bool is_part_file(std::string_view path);
/// The header for a user and password; see RFC 7617.
std::string basic_authorization(std::string_view user, std::string_view password);

/// What became of a request.
struct RoadOutcome {
    enum class Verdict : uint8_t { accepted, again, refused };
    Verdict verdict = Verdict::refused;
    std::string message;  ///< one printable line
};
/// By the rules of OTLP, which hold for Pyroscope as well: 429, 502, 503, 504 and no answer may be tried
/// again; everything else that is not 2xx is final, and so is a partial success.
RoadOutcome judge_road_answer(const Road& road, const HttpAnswer& answer);

}  // namespace op::fleet
