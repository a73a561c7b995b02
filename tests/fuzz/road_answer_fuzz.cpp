// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target: any bytes may be the answer of a server of profiles; it is accepted, or a printable line.
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <string_view>

#include "fleet/road.h"
#include "libop/base/text.h"

/// The first byte chooses the status.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    constexpr int statuses[] = {200, 429, 500, 400, 0};
    if (size == 0) return 0;
    op::fleet::HttpAnswer answer;
    answer.status = statuses[data[0] % std::size(statuses)];
    answer.body = answer.failure = std::string_view(reinterpret_cast<const char*>(data) + 1, size - 1);
    for (const auto kind : {op::fleet::Road::Kind::otlp, op::fleet::Road::Kind::pyroscope}) {
        const op::fleet::Road road{kind, {}, ""};
        const auto outcome = op::fleet::judge_road_answer(road, answer);
        if (op::printable(outcome.message) != outcome.message) std::abort();
    }
    return 0;
}
