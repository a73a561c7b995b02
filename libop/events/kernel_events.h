// SPDX-License-Identifier: GPL-2.0-or-later
// The events that the kernel's own PMUs list: /sys/bus/event_source/devices (the kernel's
// Documentation/ABI/testing/sysfs-bus-event_source-devices-*).
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libop/events/event_encoding.h"

namespace op {

/// The directory of the PMUs, on this machine or a made-up one (libop/base/machine_root.h).
std::string event_source_devices();

/// An event of a PMU.
struct KernelEvent {
    std::string pmu;
    std::string name;
    EventEncoding encoding;
};

/// Returns the content of `format/<term>`: the bits that hold the term's value.
using TermFormat = std::function<std::optional<std::string>(const std::string& term)>;

/// Puts a value into the bits that a format names, "config1:0-7,32-35", lowest bit first. False if the format
/// is not understood or the value has more bits.
bool place_term(std::string_view format, uint64_t value, EventEncoding& encoding);
/// Reads an event, "event=0x3c,umask=0x1"; a term without a value is 1. None if a term is not understood.
std::optional<EventEncoding> parse_kernel_event(std::string_view text, uint32_t type,
                                                const TermFormat& format);

/// The type number of a PMU, or none if the kernel has no such PMU. Throws a system error.
std::optional<uint32_t> kernel_pmu_type(const std::string& devices, const std::string& pmu);
/// The type numbers of the kernel's PMUs by name; empty without the directory. Throws a system error.
std::map<std::string, uint32_t> kernel_pmus(const std::string& devices);
/// The greatest perf_event_attr.precise_ip that the processor's own PMU supports; 0 if the kernel lists none.
unsigned greatest_precise_level(const std::string& devices);
/// All events below that directory, sorted by PMU and name; malformed ones are left out. Empty if the
/// directory is missing. Throws a system error for a file that exists but cannot be read.
std::vector<KernelEvent> kernel_events(const std::string& devices);

}  // namespace op
