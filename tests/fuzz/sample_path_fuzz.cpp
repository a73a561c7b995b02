// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target: a path that reads as a sample file's name is written back as one that reads the same, or
// refused.
#include <cstdint>
#include <cstdlib>

#include "libop/base/error.h"
#include "libop/session/sample_path.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const auto name = op::parse_sample_path({reinterpret_cast<const char*>(data), size});
    if (!name) return 0;
    name->image.display();
    try {
        if (op::parse_sample_path(op::mangle(*name)) != name) std::abort();
    } catch (const op::Error& error) {
        if (error.kind() != op::ErrorKind::input) std::abort();
    }
    return 0;
}
