// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target: any text is a perf map; its functions never overlap, contain what was asked for, and do not
// depend on the pieces in which the text comes.
#include <cstdint>
#include <cstdlib>

#include "libop/jit/perf_map.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const std::vector<uint64_t> wanted{0, 0x1000, 0x1008, 0x10ff, 0x2000, 0x7f0000001000, UINT64_MAX};
    op::PerfMapReader whole(wanted), pieces(wanted);
    whole.feed(text);
    for (size_t at = 0; at < size; at += 7)
        pieces.feed(text.substr(at, 7));
    const auto symbols = whole.finish();
    if (pieces.finish() != symbols || pieces.counts() != whole.counts()) std::abort();
    uint64_t end = 0;
    for (const op::CodeSymbol& symbol : symbols) {
        if (symbol.address < end || symbol.end() <= symbol.address || symbol.name.empty()) std::abort();
        end = symbol.end();
        bool contains = false;
        for (const uint64_t address : wanted)
            contains |= address >= symbol.address && address < end;
        if (!contains) std::abort();
    }
    return symbols.size() <= wanted.size() ? 0 : (std::abort(), 1);
}
