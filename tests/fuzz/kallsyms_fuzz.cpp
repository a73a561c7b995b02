// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target: any text is a kallsyms snapshot; its symbols never overlap.
#include <cstdint>
#include <cstdlib>

#include "libpp/symbols/kernel_symbols.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const op::pp::KernelSymbols kernel(text);
    for (const char* module : {"", "ext4"}) {
        for (const uint64_t start : {uint64_t{0}, uint64_t{0xffffffff81000000}, UINT64_MAX}) {
            uint64_t end = 0;
            for (const auto& symbol : kernel.of(module, start, start ? 0x1000 : 0)) {
                if (symbol.length == 0 || symbol.start.value() < end) std::abort();
                end = symbol.start.value() + symbol.length;
            }
        }
    }
    return 0;
}
