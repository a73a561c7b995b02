// SPDX-License-Identifier: GPL-2.0-or-later
// Statements as requests to ClickHouse's HTTP interface.
#include "fleet/server.h"

#include <unistd.h>

#include "libop/base/clock.h"
#include "libop/base/error.h"
#include "libop/base/gzip.h"
#include "libop/base/text.h"

namespace op::fleet {
namespace {

/// The levels of gzip above this one hardly make a body of rows smaller.
constexpr int wire_level = 6;
/// No part of a body with input tables is this line, as it is drawn for each request.
std::string boundary_line(std::span<const InputTable> tables) {
    for (uint64_t n = static_cast<uint64_t>(::getpid());; ++n) {
        std::string line = "op-fleet-" + hex(n * 0x9e3779b97f4a7c15, 16);
        bool is_free = true;
        for (const InputTable& table : tables)
            is_free &= table.rows.bytes().find(line) == std::string_view::npos;
        if (is_free) return line;
    }
}

std::string multipart(std::span<const InputTable> tables, const std::string& boundary) {
    std::string body;
    for (const InputTable& table : tables) {
        body += "--" + boundary + "\r\nContent-Disposition: form-data; name=\"" + table.name +
                "\"; filename=\"rows\"\r\nContent-Type: application/octet-stream\r\n\r\n";
        body += table.rows.bytes();
        body += "\r\n";
    }
    return body + "--" + boundary + "--\r\n";
}

}  // namespace

std::string ServerVersion::text() const {
    return std::to_string(year) + "." + std::to_string(release) + "." + std::to_string(patch);
}

std::optional<ServerVersion> parse_server_version(std::string_view text) {
    const auto parts = split(text, '.');
    if (parts.size() < 2) return std::nullopt;
    const auto year = parse_number(parts[0]), release = parse_number(parts[1]);
    if (!year || !release || *year > 9999 || *release > 9999) return std::nullopt;
    const auto patch = parts.size() > 2 ? parse_number(parts[2]) : 0;
    return ServerVersion{static_cast<unsigned>(*year), static_cast<unsigned>(*release),
                         static_cast<unsigned>(patch.value_or(0))};
}

InputTable input_strings(std::string name, std::span<const std::string> values) {
    InputTable table{std::move(name), "value String", {}};
    for (const std::string& value : values) {
        table.rows.add_string(value);
        table.rows.end_row();
    }
    return table;
}

Server::Server(ServerUrl url, Credentials credentials, HttpSettings settings)
    : url_(std::move(url)), credentials_(std::move(credentials)), client_([&] {
          settings.ignores_proxy |= url_.is_loopback();
          return HttpClient(settings);
      }()) {}

HttpAnswer Server::post(std::string_view parameters, std::vector<std::string> headers,
                        std::string_view body) {
    HttpRequest request;
    request.url = url_.base() + "?wait_end_of_query=1";
    if (!is_without_database_) request.url += "&database=" + url_.database;
    request.url += parameters;
    request.headers = std::move(headers);
    request.headers.push_back("X-ClickHouse-User: " + url_.user);
    if (!credentials_.password.empty())
        request.headers.push_back("X-ClickHouse-Key: " + credentials_.password);
    request.body = body;
    HttpAnswer answer = client_.post(request);
    sent_bytes_ += body.size();
    if (answer.date) clock_ahead_ = epoch_seconds() - *answer.date;
    return answer;
}

Outcome Server::try_query(std::string_view sql, std::span<const InputTable> tables) {
    const std::string statement = std::string(sql) + "\nFORMAT TabSeparatedWithNames";
    if (tables.empty()) return judge_answer(post("", {"Content-Type: text/plain"}, statement), false);
    std::string parameters = "&query=" + percent_encoded(statement);
    for (const InputTable& table : tables)
        parameters += "&" + table.name + "_structure=" + percent_encoded(table.structure) + "&" + table.name +
                      "_format=RowBinary";
    const std::string boundary = boundary_line(tables);
    return judge_answer(post(parameters, {"Content-Type: multipart/form-data; boundary=" + boundary},
                             multipart(tables, boundary)),
                        false);
}

Outcome Server::try_execute(std::string_view sql) {
    return judge_answer(post("", {"Content-Type: text/plain"}, sql), true);
}

Outcome Server::try_insert(std::string_view table, std::span<const std::string_view> columns,
                           const RowBinary& rows) {
    return try_insert(table, columns, "RowBinary", rows.bytes());
}

Outcome Server::try_insert(std::string_view table, std::span<const std::string_view> columns,
                           std::string_view format, std::string_view rows) {
    std::string statement = "INSERT INTO " + std::string(table) + " (";
    statement += joined(columns, ", ", [](std::string_view name) { return std::string(name); });
    statement += ") FORMAT " + std::string(format);
    GzipWriter packed(wire_level);
    packed.add(rows);
    const std::string body = std::move(packed).finish();
    return judge_answer(post("&query=" + percent_encoded(statement),
                             {"Content-Type: application/octet-stream", "Content-Encoding: gzip"}, body),
                        true);
}

std::string Server::checked(Outcome outcome) const {
    if (outcome.verdict == Outcome::Verdict::done) return std::move(outcome.body);
    throw Error(outcome.verdict == Outcome::Verdict::refused ? ErrorKind::input : ErrorKind::system,
                url_.base() + ": " + outcome.message);
}

Rows Server::query(std::string_view sql, std::span<const InputTable> tables) {
    Outcome outcome = try_query(sql, tables);
    for (unsigned attempt = 0;
         outcome.verdict == Outcome::Verdict::again && patience_ && patience_(attempt, outcome); ++attempt)
        outcome = try_query(sql, tables);
    return Rows::parse(checked(std::move(outcome)), url_.base());
}

void Server::execute(std::string_view sql) {
    checked(try_execute(sql));
}

void Server::insert(std::string_view table, std::span<const std::string_view> columns,
                    const RowBinary& rows) {
    checked(try_insert(table, columns, rows));
}

const ServerVersion& Server::version() {
    if (!version_) {
        const Rows rows = query("SELECT version()");
        if (rows.size() == 1) version_ = parse_server_version(rows.text(0, 0));
        if (!version_) throw_input(url_.base() + ": no ClickHouse: it does not report its version");
    }
    return *version_;
}

}  // namespace op::fleet
