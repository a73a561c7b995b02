// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target: any bytes may be the symbols of a build, or what is wanted of one; what is read is written so
// that it is read the same.
#include <cstdint>
#include <cstdlib>

#include "fleet/build_symbols.h"
#include "libop/base/error.h"

namespace {

using namespace op::fleet;

/// Calls `read`, which may refuse the input.
template <class Read>
void may_refuse(Read read) {
    try {
        read();
    } catch (const op::Error& error) {
        if (error.kind() != op::ErrorKind::input) std::abort();
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    may_refuse([&] {
        const BuildSymbols symbols = parse_build_symbols(text, "input");
        if (parse_build_symbols(build_symbols_text(symbols), "again") != symbols) std::abort();
    });
    may_refuse([&] {
        const std::string once = wanted_build_text(parse_wanted_build(text, "input"));
        if (wanted_build_text(parse_wanted_build(once, "again")) != once) std::abort();
    });
    return 0;
}
