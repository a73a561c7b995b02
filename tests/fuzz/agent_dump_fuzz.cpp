// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target: any bytes are a dump of OProfile's agent; whatever of it was there at a time can be written.
#include <cstdint>
#include <cstdlib>

#include "libop/base/error.h"
#include "libop/jit/agent_dump.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    try {
        const op::AgentDump dump = op::parse_agent_dump(std::as_bytes(std::span(data, size)), "fuzz.dump");
        for (const uint64_t from : {uint64_t{0}, dump.began + 5}) {
            op::CodeMap code{op::longest_lived(dump.lives, from, from + 10).symbols, {}};
            if (!op::is_sound(code.symbols)) std::abort();
            op::fit_for_jo(code);
            op::make_jo(code, dump.target);
        }
    } catch (const op::Error& error) {
        if (error.kind() != op::ErrorKind::input) std::abort();
    }
    return 0;
}
