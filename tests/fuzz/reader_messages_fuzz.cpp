// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target: any bytes are a reader's answer; one that is accepted has sorted functions and survives.
#include <cstdint>
#include <cstdlib>

#include "daemon/jit/reader_messages.h"
#include "libop/base/error.h"
#include "libop/base/fd.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace op::collect;
    try {
        const auto bytes = std::as_bytes(std::span(data, size));
        const MapAnswer answer = parse_answer(bytes);
        uint64_t end = 0;
        for (const op::CodeSymbol& symbol : answer.symbols) {
            if (symbol.address < end || symbol.end() <= symbol.address) std::abort();
            end = symbol.end();
        }
        const std::string again = to_bytes(answer);
        if (parse_answer(op::as_bytes(again)) != answer) std::abort();
        answer_length({reinterpret_cast<const char*>(data), size});
    } catch (const op::Error&) {
    }
    return 0;
}
