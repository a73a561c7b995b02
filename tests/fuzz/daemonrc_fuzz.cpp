// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target: any bytes are settings, which can be written and read again, or an input error of one line.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "libop/base/error.h"
#include "libop/base/fd.h"
#include "libop/control/daemon_settings.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    try {
        const auto settings =
            op::parse_daemon_settings({reinterpret_cast<const std::byte*>(data), size}, "file");
        const std::string text = op::to_text(settings);
        if (op::parse_daemon_settings(op::as_bytes(text), "again") != settings) std::abort();
    } catch (const op::Error& error) {
        const std::string text = error.what();
        if (error.kind() != op::ErrorKind::input || std::count(text.begin(), text.end(), '\n')) std::abort();
    }
    return 0;
}
