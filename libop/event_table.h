// SPDX-License-Identifier: GPL-2.0-or-later
// The events and CPU types known without event files: the software clock, and cycles where there is a PMU.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "libop/event_spec.h"

namespace op {

/// CPU type numbers stored in sample file headers of version 0x13 (doc/FORMATS.md, "CPU types").
inline constexpr uint32_t cpu_type_timer = 4;
/// Types that version 0x13 dropped (rtc, IA64, avr32 ...) have this plus their 0.9.x number here, a number
/// that no header on disk holds.
inline constexpr uint32_t cpu_type_dropped = 0x10000;

/// What there is to say about an event.
struct EventInfo {
    std::string_view name;
    std::string_view description;  ///< one clause without full stop
    uint32_t code;                 ///< stored in sample file headers
    uint64_t minimum_count;        ///< smallest accepted count
    uint64_t default_count;        ///< when no count is asked for; good for call graphs
};

/// The built-in events, the default one for a machine with a PMU first.
std::span<const EventInfo> event_table();
/// The row of that name, or null.
const EventInfo* find_event(std::string_view name);
/// Checks a specification against the table: known name, count within [minimum, 2^32-1] or 0, unit mask 0 or
/// absent, not both modes off. With `callgraph` the minimum is 15 times as high. Returns the row; throws a
/// usage error otherwise.
const EventInfo& check_event(const EventSpec& spec, bool callgraph);

/// One row of the CPU types whose number a sample file header can hold.
struct CpuType {
    uint32_t number;         ///< in headers of version 0x13
    std::string_view name;   ///< "i386/core_2"
    std::string_view title;  ///< "Core 2"
};
/// The row with that 1.x number, or null.
const CpuType* find_cpu_type(uint32_t number);
/// The row of that name, or null.
const CpuType* find_cpu_type(std::string_view name);
/// The 1.x number for a header of version 0x12 (0.9.x numbering); unknown ones give no row.
const CpuType* find_cpu_type_0_9(uint32_t number);
/// What CPUID says of an x86 processor.
struct X86Cpu {
    std::string_view vendor;    ///< "GenuineIntel"
    uint32_t family = 0;        ///< with the extended part
    uint32_t model = 0;         ///< with the extended part
    bool arch_perfmon = false;  ///< leaf 10 is there and its version is not 0
    uint32_t siblings = 1;      ///< threads that share the package
};
/// The name of its CPU type, or "timer" if it is not recognised. The view is of static text.
std::string_view x86_cpu_type(const X86Cpu& cpu);
/// The CPU type of the running machine, or cpu_type_timer's row if it is not recognised. Thread-safe.
const CpuType& running_cpu_type();

}  // namespace op
