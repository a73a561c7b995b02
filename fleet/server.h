// SPDX-License-Identifier: GPL-2.0-or-later
// ClickHouse as the fleet uses it: statements over HTTP, inserts of rows, errors by their number. What comes
// from sessions goes in bodies only; no statement is built from it.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/http.h"
#include "fleet/row_binary.h"
#include "fleet/rows.h"
#include "fleet/server_url.h"

namespace op::fleet {

/// A version of ClickHouse, as `SELECT version()` has it.
struct ServerVersion {
    unsigned year = 0, release = 0, patch = 0;

    auto operator<=>(const ServerVersion&) const = default;
    std::string text() const;
};
/// Nothing if the text does not begin with two numbers and a full stop between them.
std::optional<ServerVersion> parse_server_version(std::string_view text);

/// The outcome of a request.
struct Outcome {
    enum class Verdict : uint8_t {
        done,
        again,    ///< busy or gone: the same request may succeed later
        refused,  ///< a person has to do something first
    };
    Verdict verdict = Verdict::done;
    int code = 0;                         ///< ClickHouse's number of the error; 0 = none, or not known
    std::string message;                  ///< one line, printable, if not done
    std::string body;                     ///< if done
    std::optional<uint64_t> retry_after;  ///< seconds, if the server asked for it
};

/// What an answer means. An answer of status 200 may hold an error; of one to an insert every byte is one.
Outcome judge_answer(HttpAnswer answer, bool has_to_be_empty);

/// A table that goes along with a query, for names and paths to compare with: `IN (SELECT value FROM NAME)`.
/// Its name and structure are the program's own.
struct InputTable {
    std::string name;
    std::string structure;  ///< "value String"
    RowBinary rows;
};
/// An InputTable of one column, `value String`.
InputTable input_strings(std::string name, std::span<const std::string> values);

/// Who asks. The password is in a header of each request and nowhere else.
struct Credentials {
    std::string password;
};

/// A database on a server.
class Server {
public:
    /// Connects when something is asked for.
    Server(ServerUrl url, Credentials credentials, HttpSettings settings);

    /// Makes rows of a query's result. Throws an input error if the server refuses, a system error if it
    /// cannot be reached or is busy; both name the server.
    Rows query(std::string_view sql, std::span<const InputTable> tables = {});
    /// Executes a statement that has no result. Throws as query().
    void execute(std::string_view sql);
    /// The server's version, asked for once. Throws as query().
    const ServerVersion& version();

    /// The same without exceptions, for who can wait.
    Outcome try_query(std::string_view sql, std::span<const InputTable> tables = {});
    Outcome try_execute(std::string_view sql);
    /// Adds rows to a table; all of them are there once it is done. If it is not, some may be there.
    Outcome try_insert(std::string_view table, std::span<const std::string_view> columns,
                       const RowBinary& rows);
    /// The same with rows in a format of ClickHouse's.
    Outcome try_insert(std::string_view table, std::span<const std::string_view> columns,
                       std::string_view format, std::string_view rows);
    /// Throws as query().
    void insert(std::string_view table, std::span<const std::string_view> columns, const RowBinary& rows);

    /// While it lives, statements go to no database: the one of the address may be missing.
    void set_without_database(bool is_without) { is_without_database_ = is_without; }

    /// Called by query() with the number of the attempt, from 0, when the server is busy or gone: returns
    /// true, having waited, to try again. By default there is one attempt.
    using Patience = std::function<bool(unsigned attempt, const Outcome& outcome)>;
    void set_patience(Patience patience) { patience_ = std::move(patience); }

    const ServerUrl& url() const { return url_; }
    /// How much this machine's clock is ahead of the server's, in seconds, by the last answer with a date.
    std::optional<int64_t> clock_ahead() const { return clock_ahead_; }
    /// Bytes of all bodies sent, as they went over the wire.
    uint64_t sent_bytes() const { return sent_bytes_; }

private:
    HttpAnswer post(std::string_view parameters, std::vector<std::string> headers, std::string_view body);
    std::string checked(Outcome outcome) const;

    ServerUrl url_;
    Credentials credentials_;
    HttpClient client_;
    std::optional<ServerVersion> version_;
    std::optional<int64_t> clock_ahead_;
    uint64_t sent_bytes_ = 0;
    bool is_without_database_ = false;
    Patience patience_;
};

}  // namespace op::fleet
