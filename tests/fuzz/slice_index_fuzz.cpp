// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target: any bytes may be the index of a slice; what is read is written the same.
#include <cstdint>
#include <cstdlib>

#include "fleet/file_index.h"
#include "libop/base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    try {
        const auto files = op::fleet::parse_index({reinterpret_cast<const char*>(data), size}, "input");
        const std::string text = op::fleet::index_text(files);
        if (op::fleet::index_text(op::fleet::parse_index(text, "again")) != text) std::abort();
    } catch (const op::Error& error) {
        if (error.kind() != op::ErrorKind::input) std::abort();
    }
    return 0;
}
