// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target: any bytes are gzip, xz or zstd data or an input error, within the limit; what gzip data
// expands to survives packing.
#include <cstdint>
#include <cstdlib>

#include "libop/base/error.h"
#include "libop/base/gzip.h"
#include "libop/base/unpack.h"

namespace {

constexpr size_t limit = 1 << 16;

void check(std::string (*unpack)(std::string_view, std::string_view, size_t), std::string_view packed) {
    try {
        const std::string text = unpack(packed, "input", limit);
        if (text.size() > limit || op::gunzip(op::gzip(text), "output", limit) != text) std::abort();
    } catch (const op::Error& error) {
        if (error.kind() != op::ErrorKind::input) std::abort();
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view packed(reinterpret_cast<const char*>(data), size);
    check(op::gunzip, packed);
    check(op::unxz, packed);
    check(op::unzstd, packed);
    return 0;
}
