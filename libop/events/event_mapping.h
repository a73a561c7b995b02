// SPDX-License-Identifier: GPL-2.0-or-later
// The file event_mappings of POWER's CPU types: the values of the monitor mode control registers per event.
// Format: doc/FORMATS.md, "Event files".
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace op {

/// The registers' values; events counted at once must agree in all of them.
struct EventMapping {
    uint64_t mmcr0 = 0, mmcr1 = 0, mmcra = 0;

    bool operator==(const EventMapping&) const = default;
};

/// The mappings by event code. Throws an input error "<label>:<line>: <what>".
std::map<uint32_t, EventMapping> parse_event_mappings(std::string_view text, const std::string& label);

/// The mappings of a CPU type; empty if it has no such file. Also throws a system error.
std::map<uint32_t, EventMapping> load_event_mappings(const std::string& events_dir, const std::string& type);

/// "mmcr0:0xNN mmcr1:0xNN mmcra:0xNN".
std::string to_text(const EventMapping& mapping);

}  // namespace op
