// SPDX-License-Identifier: GPL-2.0-or-later
// Encodings: how to request an event from the kernel.
#pragma once

#include <cstdint>
#include <string_view>

namespace op {

/// Types of perf_event_open(2): generic hardware events, events that the kernel counts itself, and codes from
/// the processor's manual.
inline constexpr uint32_t perf_type_hardware = 0, perf_type_software = 1, perf_type_raw = 4;

/// What takes samples of the events. AMD's instruction-based sampling (IBS) has two samplers, each with one
/// count for all its events. Its events are derived from what each sample records about itself.
enum class Sampler : uint8_t { counter, ibs_fetch, ibs_op };

/// The fields of perf_event_attr that select the event; the names are the kernel's.
struct EventEncoding {
    uint32_t type = perf_type_raw;
    uint64_t config = 0, config1 = 0, config2 = 0;
    unsigned precise = 0;  ///< precise_ip: 0 = the instruction may be some way after the event's
    Sampler sampler = Sampler::counter;

    bool operator==(const EventEncoding&) const = default;
};

/// The encoding of an event known without event files (libop/events/event_table.h): the CPU clock for TIMER,
/// otherwise the kernel's generic cycles event.
EventEncoding builtin_encoding(std::string_view name) noexcept;

}  // namespace op
