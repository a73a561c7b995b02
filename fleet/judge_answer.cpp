// SPDX-License-Identifier: GPL-2.0-or-later
// What an answer of ClickHouse, or of a proxy before it, means for who asked. Errors come as text, "Code:
// N, e.displayText() = DB::Exception: ..." in 2018 and "Code: N. DB::Exception: ..." today.
#include <algorithm>
#include <array>

#include "fleet/server.h"
#include "libop/base/text.h"

namespace op::fleet {
namespace {

/// Errors that pass (ClickHouse's ErrorCodes): time-outs (159, 209), network (210), a table that is read-only
/// for now (242), too many queries (202), no memory (241), no disk (243), too many parts (252), no
/// coordination (999).
constexpr std::array<int, 9> passing = {159, 202, 209, 210, 241, 242, 243, 252, 999};
constexpr std::string_view error_mark = "Code: ";
/// Errors of any number have this text where a write of the server finds its disk full.
constexpr std::string_view disk_full = "No space left on device";
constexpr size_t longest_message = 400;

/// The number in "Code: N"; 0 if the text does not begin so.
int error_code(std::string_view text) {
    if (!text.starts_with(error_mark)) return 0;
    text.remove_prefix(error_mark.size());
    const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
    return static_cast<int>(parse_number(text.substr(0, std::min<size_t>(digits, 6))).value_or(0));
}

/// The error that may follow rows that were sent before it happened; empty without one.
std::string_view error_after_rows(std::string_view body) {
    while (body.ends_with('\n'))
        body.remove_suffix(1);
    const std::string_view last = body.substr(body.rfind('\n') + 1);
    return error_code(last) != 0 && last.find("DB::Exception") != last.npos ? last : std::string_view{};
}

/// A line for people: without the parts of the text that are the same in every error.
std::string error_text(std::string_view text) {
    std::string message = printable(text.substr(0, text.find('\n')));
    for (const std::string_view noise :
         {", e.displayText() =", ", e.what() = DB::Exception", " DB::Exception:"})
        if (const size_t at = message.find(noise); at != message.npos) message.erase(at, noise.size());
    if (message.size() > longest_message) message = message.substr(0, longest_message) + "...";
    return message;
}

bool is_passing_status(int status) {
    return status == 429 || (status >= 502 && status <= 504);
}

Outcome failed(bool is_passing, std::string message) {
    Outcome outcome;
    outcome.verdict = is_passing ? Outcome::Verdict::again : Outcome::Verdict::refused;
    outcome.message = std::move(message);
    return outcome;
}

std::string status_text(int status, std::string_view body) {
    const std::string message = error_text(body);
    return message.starts_with(error_mark) ? message
                                           : "HTTP status " + std::to_string(status) + (": " + message);
}

}  // namespace

Outcome judge_answer(HttpAnswer answer, bool has_to_be_empty) {
    if (answer.status == 0) return failed(!answer.is_final, printable(answer.failure));
    std::string_view fault;
    if (answer.status != 200 || has_to_be_empty)
        fault = answer.body;
    else
        fault = error_after_rows(answer.body);
    if (answer.status == 200 && fault.empty()) {
        Outcome outcome;
        outcome.body = std::move(answer.body);
        return outcome;
    }
    const int code = error_code(fault);
    const bool is_passing = is_passing_status(answer.status) ||
                            std::ranges::find(passing, code) != passing.end() ||
                            (code != 0 && fault.find(disk_full) != fault.npos);
    Outcome outcome = failed(is_passing, status_text(answer.status, fault));
    outcome.code = code;
    outcome.retry_after = answer.retry_after;
    return outcome;
}

}  // namespace op::fleet
