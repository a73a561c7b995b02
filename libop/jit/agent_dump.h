// SPDX-License-Identifier: GPL-2.0-or-later
// Reads what OProfile's own libopagent writes, /tmp/.oprofile/jitdump/PID.dump. Its bytes are a stranger's.
// Format: doc/FORMATS.md, "Dumps of OProfile's agent".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libop/jit/code_lives.h"
#include "libop/jit/jo_file.h"

namespace op {

struct AgentDump {
    JoTarget target;
    uint64_t began = 0;           ///< s since 1970
    std::vector<CodeLife> lives;  ///< times in s since 1970; UINT64_MAX: until the process ended
    bool is_closed = false;       ///< the process ended its dump
    std::string fault;            ///< why the rest could not be read; empty if all was
    uint64_t bad_records = 0;     ///< whose content cannot be; they are left out
};

/// True if the bytes begin as such a dump does.
bool is_agent_dump(std::span<const std::byte> bytes) noexcept;

/// Throws an input error naming `label` if the header is damaged; of what follows it takes the records before
/// the first whose size cannot be.
AgentDump parse_agent_dump(std::span<const std::byte> bytes, std::string_view label);

}  // namespace op
