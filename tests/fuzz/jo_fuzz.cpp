// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target: any bytes are the symbols of run-time code; what is read of them is sound and can be written.
#include <cstdint>
#include <cstdlib>

#include "libop/base/error.h"
#include "libop/jit/jo_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
    try {
        op::JoFile file = op::parse_jo(bytes, "fuzz.jo");
        if (!op::is_sound(file.code.symbols)) std::abort();
        op::fit_for_jo(file.code);
        op::make_jo(file.code);
    } catch (const op::Error& error) {
        if (error.kind() != op::ErrorKind::input) std::abort();
    }
    return 0;
}
