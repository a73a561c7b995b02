// SPDX-License-Identifier: GPL-2.0-or-later
// Event specifications as written on a command line: name:count:unitmask:kernel:user. Syntax only;
// libop/event_catalogue knows the events.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace op {

/// With call graphs the minimum counts are this many times as high: recording a chain costs about this many
/// times as much as a plain sample.
inline constexpr uint64_t callgraph_count_factor = 15;

/// One requested event.
struct EventSpec {
    std::string name;
    uint64_t count = 0;                 ///< events (ns for TIMER) per sample; 0 = the event's default
    std::optional<uint64_t> unit_mask;  ///< none = the event's default
    std::string unit_mask_name;         ///< set instead of unit_mask if the text is not a number
    bool kernel = true;                 ///< count in kernel mode
    bool user = true;                   ///< count in user mode

    auto operator<=>(const EventSpec&) const = default;
};

/// Parses one specification. A field that is empty or missing takes its default; the count must not be 0.
/// Throws a usage error that quotes the text and names the fault.
EventSpec parse_event_spec(std::string_view text);

/// The same without a count: name[:unitmask[:kernel[:user]]], for events that are counted, not sampled.
EventSpec parse_countless_event_spec(std::string_view text);

/// Parses comma-separated specifications (the caller joins repeated options) and returns them sorted by text
/// without duplicates. Throws a usage error as above, also for no specification or more than 24.
std::vector<EventSpec> parse_event_specs(const std::vector<std::string>& options);
/// The same of specifications without counts.
std::vector<EventSpec> parse_countless_event_specs(const std::vector<std::string>& options);

/// An event in the daemon's form.
struct DaemonEventSpec {
    EventSpec spec;
    std::optional<uint32_t> code;  ///< none = the code of the event's name
    std::optional<int> counter;    ///< none = the next one
};

/// Parses specifications, each as above or in the classic daemon's form,
/// name:code:counter:count:unitmask:kernel:user. Keeps order and duplicates, since the position decides on
/// the counter. Throws a usage error as above.
std::vector<DaemonEventSpec> parse_daemon_event_specs(const std::vector<std::string>& options);

}  // namespace op
