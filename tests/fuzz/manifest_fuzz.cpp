// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target: any bytes are a manifest or an input error, and what was read survives writing.
#include <cstdint>
#include <cstdlib>

#include "libop/base/error.h"
#include "libop/session/session_info.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    op::SessionInfo info;
    try {
        info = op::parse_session_info({reinterpret_cast<const char*>(data), size}, "input");
    } catch (const op::Error& error) {
        if (error.kind() != op::ErrorKind::input) std::abort();
        return 0;
    }
    const std::string json = op::to_json(info);
    if (op::to_json(op::parse_session_info(json, "output")) != json) std::abort();
    info.merge(info);
    return 0;
}
