// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target: any text is event specifications or a usage error of one line.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "libop/base/error.h"
#include "libop/events/event_table.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    try {
        for (const op::EventSpec& spec : op::parse_event_specs({std::string(data, data + size)})) {
            if (spec.name.empty()) std::abort();  // a count of 0 means the default
            op::check_event(spec, size % 2);
        }
    } catch (const op::Error& error) {
        const std::string text = error.what();
        if (error.kind() != op::ErrorKind::usage || std::count(text.begin(), text.end(), '\n')) std::abort();
    }
    return 0;
}
