// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target: any bytes are a jitdump; pieces change nothing, and the functions found are sorted and without
// overlaps.
#include <cstdint>
#include <cstdlib>

#include "libop/jit/code_placer.h"
#include "libop/jit/code_symbols.h"
#include "libop/jit/dump_code.h"

namespace {

void place(std::span<const std::byte> bytes) {
    const std::vector<op::CodeMoment> moments{{0, 0}, {5, 4096}, {3, 4097}, {UINT64_MAX, 100}, {7, 8192}};
    op::CodePlacer placer(moments);
    op::JitdumpReader reader({[&](const op::JitLoad& load) { placer.take(load); },
                              [&](const op::JitMove& move) { placer.take(move); },
                              [&](const op::JitUnload& unload) { placer.take(unload); }});
    reader.feed(bytes);
    if (placer.finish().size() != moments.size()) std::abort();
}

std::vector<op::CodeSymbol> read(std::span<const std::byte> bytes, size_t piece, bool is_timed) {
    const std::vector<uint64_t> wanted{0,
                                       1,
                                       100,
                                       102,
                                       107,
                                       112,
                                       4096,
                                       4097,
                                       op::tagged_address(100, 1),
                                       op::tagged_address(4096, 1),
                                       op::tagged_address(4097, 1),
                                       op::tagged_address(4096, 2),
                                       op::tagged_address(4096, 127),
                                       UINT64_MAX};
    op::DumpCode code(wanted, is_timed);
    op::JitdumpReader reader({[&](const op::JitLoad& load) {
                                  if (load.code.size() != load.size) std::abort();
                                  code.take(load);
                              },
                              [&](const op::JitMove& move) { code.take(move); },
                              [&](const op::JitUnload& unload) { code.take(unload); }});
    for (size_t at = 0; at < bytes.size(); at += std::min(piece, bytes.size() - at))
        reader.feed(bytes.subspan(at, std::min(piece, bytes.size() - at)));
    return code.finish();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const auto bytes = std::as_bytes(std::span(data, size));
    for (const bool is_timed : {false, true}) {
        const auto symbols = read(bytes, SIZE_MAX, is_timed);
        if (read(bytes, 5, is_timed) != symbols || !op::is_sound(symbols)) std::abort();
    }
    place(bytes);
    return 0;
}
