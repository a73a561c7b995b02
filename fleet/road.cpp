// SPDX-License-Identifier: GPL-2.0-or-later
#include "fleet/road.h"

#include <algorithm>
#include <ctime>

#include "fleet/otlp.h"
#include "libop/base/error.h"
#include "libop/base/text.h"

namespace op::fleet {
namespace {

constexpr std::string_view pyroscope = "pyroscope+", otlp = "otlp+", directory = "file:";
constexpr uint16_t pyroscope_port = 4040, otlp_port = 4318;
constexpr size_t longest_message = 300, longest_name = 80;

bool has_port(std::string_view url) {
    const size_t authority = url.find("//");
    if (authority == url.npos) return false;
    std::string_view host = url.substr(authority + 2);
    host = host.substr(0, host.find('/'));
    if (const size_t at = host.rfind('@'); at != host.npos) host.remove_prefix(at + 1);
    if (const size_t bracket = host.rfind(']'); bracket != host.npos) host.remove_prefix(bracket + 1);
    return host.find(':') != host.npos;
}

Road server_road(Road::Kind kind, std::string_view url, uint16_t port, bool may_be_plain) {
    Road road{kind, parse_server_url(url, may_be_plain), ""};
    if (!has_port(url)) road.server.port = port;
    return road;
}

bool is_plain(char c) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    return is_letter || c == '-' || c == '_' || c == '.';
}

/// What a file's name, and a label of Pyroscope's, can be made of.
std::string plain_name(std::string_view text) {
    std::string name(text.substr(text.size() - std::min(text.size(), longest_name)));
    std::ranges::replace_if(
        name, [](char c) { return !is_plain(c); }, '_');
    if (name.empty() || name[0] == '.') name.insert(0, 1, '_');
    return name;
}

std::string day_text(uint64_t seconds) {
    const auto time = static_cast<time_t>(std::min<uint64_t>(seconds, 253402300799));
    std::tm parts{};
    char text[16];
    ::gmtime_r(&time, &parts);
    return {text, std::strftime(text, sizeof text, "%Y-%m-%d", &parts)};
}

std::string failure_text(const HttpAnswer& answer) {
    std::string_view body = answer.body;
    std::string text = answer.status == 0 ? answer.failure : "status " + std::to_string(answer.status);
    if (const std::string_view line = take_line(body); answer.status != 0 && !line.empty())
        text += ": " + std::string(line.substr(0, longest_message));
    return printable(text);
}

}  // namespace

std::optional<Road> parse_road(std::string_view text, bool may_be_plain) {
    if (text.starts_with(pyroscope))
        return server_road(Road::Kind::pyroscope, text.substr(pyroscope.size()), pyroscope_port,
                           may_be_plain);
    if (text.starts_with(otlp))
        return server_road(Road::Kind::otlp, text.substr(otlp.size()), otlp_port, may_be_plain);
    if (!text.starts_with(directory)) return std::nullopt;
    text.remove_prefix(directory.size());
    if (text.empty()) throw_usage("--to=file:DIR: no directory is given");
    return Road{.kind = Road::Kind::directory, .server = {}, .directory = std::string(text)};
}

std::string request_target(const Road& road, const RoadPart& part) {
    if (road.kind == Road::Kind::otlp) return "v1development/profiles";
    // A whole second at least: the server divides by it.
    const uint64_t until = std::max(part.stop_time, part.start_time + 1);
    return "ingest?name=" + percent_encoded(plain_name(base_name(part.application))) +
           "&from=" + std::to_string(part.start_time) + "&until=" + std::to_string(until) + "&format=pprof";
}

std::string part_file(const std::string& session, const RoadPart& part) {
    std::string number = std::to_string(part.number);
    number.insert(0, number.size() < 4 ? 4 - number.size() : 0, '0');
    return plain_name(part.host) + "/" + day_text(part.start_time) + "/" + plain_name(session) + "." +
           number + "." + plain_name(base_name(part.application)) + ".pb.gz";
}

bool is_part_file(std::string_view path) {
    constexpr size_t components = 3;
    const auto names = split(path, '/');
    return names.size() == components && path.ends_with(".pb.gz") &&
           std::ranges::all_of(names, [](std::string_view name) {
               return !name.empty() && name[0] != '.' && std::ranges::all_of(name, is_plain);
           });
}

std::string basic_authorization(std::string_view user, std::string_view password) {
    constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const std::string text = std::string(user) + ":" + std::string(password);
    std::string out = "Authorization: Basic ";
    for (size_t i = 0; i < text.size(); i += 3) {
        uint32_t bits = 0;
        for (size_t j = 0; j < 3; ++j)
            bits = bits << 8 | (i + j < text.size() ? static_cast<uint8_t>(text[i + j]) : 0);
        for (size_t j = 0; j < 4; ++j)
            out += i + j <= text.size() ? digits[bits >> (18 - 6 * j) & 63] : '=';
    }
    return out;
}

RoadOutcome judge_road_answer(const Road& road, const HttpAnswer& answer) {
    using Verdict = RoadOutcome::Verdict;
    const int s = answer.status;
    if (s == 429 || s == 502 || s == 503 || s == 504 || (s == 0 && !answer.is_final))
        return {Verdict::again, failure_text(answer)};
    if (s < 200 || s > 299) return {Verdict::refused, failure_text(answer)};
    if (road.kind == Road::Kind::otlp)
        if (const std::string rejected = otlp_rejection(answer.body); !rejected.empty())
            return {Verdict::refused, printable(rejected.substr(0, longest_message))};
    return {Verdict::accepted, ""};
}

}  // namespace op::fleet
