// SPDX-License-Identifier: GPL-2.0-or-later
// oppush: sends sessions to a server, or writes them as profiles below a directory.
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "fleet/push.h"
#include "fleet/road.h"
#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libop/session/session.h"
#include "utils/opfleet/connection.h"
#include "utils/push_sessions.h"
#include "utils/shared/options.h"
#include "utils/shared/tool.h"
#include "utils/standard_road.h"

namespace op::tool {
namespace {

struct Options {
    ConnectionOptions connection;
    CommonOptions common;
    std::string host;
    bool hash_hosts = false, no_cmdline = false, no_files = false;
    std::optional<uint64_t> wait, spread;
};

CommandSyntax syntax(Options& o) {
    CommandSyntax s;
    s.has_exact_names = true;
    s.synopsis = "--to=TARGET [OPTION...] [SESSION...]";
    s.options = {
        {"to", 0, &o.connection.to,
         "https://USER@HOST:8443/DATABASE (ClickHouse), pyroscope+https://USER@HOST:PORT, "
         "otlp+https://HOST:PORT "
         "(experimental) or file:DIR",
         "TARGET"},
        {"host", 0, &o.host, "the host's name there (default: that of the session)", "NAME"},
        {"hash-hosts", 0, &o.hash_hosts, "to ClickHouse: send a digest of the host's name"},
        {"no-cmdline", 0, &o.no_cmdline, "to ClickHouse: leave out the command line that was profiled"},
        {"no-files", 0, &o.no_files, "to ClickHouse: leave out what only opfleet show needs"},
        {"wait", 0, &o.wait, "to ClickHouse: wait so long for a busy server (300)", "SECONDS"},
        {"spread", 0, &o.spread, "first wait for a part of so long, by the host's name", "SECONDS"}};
    for (Option& option : o.connection.table())
        if (std::string_view(option.long_name) != "to") s.options.push_back(option);
    for (Option& option : o.common.table())
        s.options.push_back(option);
    return s;
}

SessionPush to_clickhouse(const Options& o, const std::vector<std::string>& sessions) {
    const std::string& dir = o.common.session_dir;
    return {.connection = o.connection,
            .session_dir = dir.empty() ? default_session_dir() : dir,
            .host = o.host,
            .hashes_host = o.hash_hosts,
            .drops_command = o.no_cmdline,
            .leaves_out_files = o.no_files,
            .wait = o.wait,
            .sessions = sessions};
}

/// Each machine of a fleet begins at a time of its own.
void wait_for_turn(const Options& o) {
    constexpr uint64_t most = 86400;
    if (!o.spread) return;
    if (*o.spread > most) throw_usage("--spread: at most 86400");
    char host[256] = {};
    ::gethostname(host, sizeof host - 1);
    const uint64_t delay = fleet::start_delay(o.host.empty() ? host : o.host, *o.spread);
    std::this_thread::sleep_for(std::chrono::seconds(delay));
}

int oppush(Tool& tool, int argc, char** argv) {
    Options o;
    const ParsedOptions parsed = parse_options(argc, argv, syntax(o));
    if (parsed.exit_status) return *parsed.exit_status;
    o.common.check();
    if (o.connection.to.empty()) throw_usage("give the target: --to=TARGET; see oppush --help");
    wait_for_turn(o);
    StandardRoadOptions road;
    const auto target = fleet::parse_road(o.connection.to, o.connection.insecure_http);
    if (!target && o.connection.to.starts_with("http"))
        return push_sessions(tool, to_clickhouse(o, parsed.words));
    if (o.hash_hosts || o.no_cmdline || o.no_files || o.wait)
        throw_usage("--hash-hosts, --no-cmdline, --no-files and --wait are for --to=https://, ClickHouse");
    if (!target)
        throw_usage("--to=" + printable(o.connection.to) +
                    ": not one of https://, pyroscope+https://, otlp+https://, file:");
    road.road = *target;
    if (!o.connection.password_file.empty()) road.password = read_secret(o.connection.password_file);
    road.http.ca_file = o.connection.ca_file;
    road.http.certificate = o.connection.certificate;
    road.http.key = o.connection.key;
    road.host = o.host;
    road.common = o.common;
    road.sessions = parsed.words;
    for (const std::string& name : parsed.words)
        if (name == current_session)
            throw_usage(
                "current may grow, and what is sent adds up; cut it first, by opcontrol --rotate=now, or "
                "record "
                "with operf --rotate");
    return push_by_standard_road(tool, road);
}

}  // namespace
}  // namespace op::tool

int main(int argc, char** argv) {
    return op::tool::run(argc, argv, op::tool::oppush);
}
