// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target: any bytes may be in a session's directory where a ledger of pushes is expected.
#include <cstdint>
#include <cstdlib>

#include "fleet/push_ledger.h"
#include "libop/base/text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    constexpr uint64_t slice = 7;
    for (const std::string& bytes :
         {std::string(text), op::fleet::SentRows::head(slice) + std::string(text)}) {
        const auto sent = op::fleet::SentRows::parse(bytes, slice);
        if (sent.sound_bytes() > bytes.size()) std::abort();
        if (op::fleet::SentRows::parse(sent.file(slice), slice).size() != sent.size()) std::abort();
    }
    for (std::string_view rest = text; !rest.empty();) {
        const std::string_view line = op::take_line(rest);
        const auto parsed = op::fleet::parse_ledger_line(line);
        if (parsed && op::fleet::ledger_line(*parsed).size() < line.size() / 2) std::abort();
    }
    return 0;
}
