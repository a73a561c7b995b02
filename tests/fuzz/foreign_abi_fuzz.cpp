// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target: the bytes up to the first NUL are a description of an ABI, the others a sample file of it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "libop/base/error.h"
#include "libop/session/foreign_abi.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const uint8_t* const end = std::find(data, data + size, 0);
    const std::string text(data, end);
    const std::span file(reinterpret_cast<const std::byte*>(end), static_cast<size_t>(data + size - end));
    op::Diagnostics notes;
    try {
        const auto content =
            op::ForeignAbi(text, "abi").parse(file.subspan(file.empty() ? 0 : 1), "fuzz", notes);
        uint64_t total = 0;
        for (const auto& entry : content.entries)
            total += entry.count;
        if (total != content.total) std::abort();
    } catch (const op::Error& error) {
        if (error.kind() != op::ErrorKind::input) std::abort();
    }
    return 0;
}
