// SPDX-License-Identifier: GPL-2.0-or-later
// Event specifications as written on a command line: name:count:unitmask:kernel:user. Syntax only; what
// events exist is libop/event_catalogue.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace op {

/// With call graphs the minimum counts are this many times as high: a chain costs about that much more than a
/// sample.
inline constexpr uint64_t callgraph_count_factor = 15;

/// One event as asked for.
struct EventSpec {
    std::string name;
    uint64_t count = 0;                 ///< events (ns for TIMER) per sample; 0 = the event's default
    std::optional<uint64_t> unit_mask;  ///< none = the event's default
    std::string unit_mask_name;         ///< set instead of unit_mask for what is no number
    bool kernel = true;                 ///< count in kernel mode
    bool user = true;                   ///< count in user mode

    auto operator<=>(const EventSpec&) const = default;
};

/// Parses one specification. A field that is empty or missing takes its default; the count must not be 0.
/// Throws a usage error that quotes the text and names the fault.
EventSpec parse_event_spec(std::string_view text);

/// The same without a count: name[:unitmask[:kernel[:user]]], for what is not sampled.
EventSpec parse_countless_event_spec(std::string_view text);

/// Parses comma-separated specifications, repeated options joined by the caller; sorted by text, doubles
/// dropped. Throws a usage error as above, also when there are more than 24 or none.
std::vector<EventSpec> parse_event_specs(const std::vector<std::string>& options);
/// The same of specifications without counts.
std::vector<EventSpec> parse_countless_event_specs(const std::vector<std::string>& options);

/// An event as the daemon takes it.
struct DaemonEventSpec {
    EventSpec spec;
    std::optional<uint32_t> code;  ///< none = the code of the event's name
    std::optional<int> counter;    ///< none = the next one
};

/// Parses specifications, each as above or as the classic daemon takes it,
/// name:code:counter:count:unitmask:kernel:user. Order and doubles stay, since counters are given out by
/// place. Throws a usage error as above.
std::vector<DaemonEventSpec> parse_daemon_event_specs(const std::vector<std::string>& options);

}  // namespace op
