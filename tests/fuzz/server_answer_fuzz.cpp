// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target: any bytes may be a server's answer; it is rows, or an error in one printable line.
#include <cstdint>
#include <cstdlib>

#include "fleet/rows.h"
#include "fleet/server.h"
#include "libop/base/error.h"
#include "libop/base/text.h"

namespace {

void read_rows(std::string_view body) {
    try {
        const auto rows = op::fleet::Rows::parse(body, "input");
        for (size_t row = 0; row < rows.size(); ++row)
            (void)rows.strings(row, 0);
    } catch (const op::Error& error) {
        if (error.kind() != op::ErrorKind::input) std::abort();
    }
}

}  // namespace

/// The first byte chooses the status, lines up to an empty one are the head, the rest is the body.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    constexpr int statuses[] = {200, 429, 500, 404, 0};
    if (size == 0) return 0;
    std::string_view text(reinterpret_cast<const char*>(data), size);
    op::fleet::HttpAnswer answer;
    answer.status = statuses[static_cast<uint8_t>(text[0]) % std::size(statuses)];
    text.remove_prefix(1);
    while (!text.empty()) {
        const std::string_view line = op::take_line(text);
        if (line.empty()) break;
        op::fleet::take_header(line, 1000, answer);
    }
    answer.body = text;
    answer.failure = text;
    for (const bool has_to_be_empty : {false, true}) {
        const auto outcome = op::fleet::judge_answer(answer, has_to_be_empty);
        if (op::printable(outcome.message) != outcome.message) std::abort();
        if (outcome.verdict == op::fleet::Outcome::Verdict::done) read_rows(outcome.body);
    }
    (void)op::fleet::parse_server_version(text);
    return 0;
}
