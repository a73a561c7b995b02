// SPDX-License-Identifier: GPL-2.0-or-later
// CPU models as data: reads the file events/cpu_models and finds the row of a machine. A model is a row of
// that file, not code. Format: doc/FORMATS.md, "CPU models".
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libop/events/event_spec.h"

namespace op {

/// Number of the clock in sample file headers of version 0x13 (doc/FORMATS.md, "CPU types").
inline constexpr uint32_t cpu_type_timer = 4;
/// Types that version 0x13 dropped (rtc, IA64, avr32 ...) get this plus their 0.9.x number, which no header
/// on disk holds.
inline constexpr uint32_t cpu_type_dropped = 0x10000;
/// The number of types that are newer than the numbering: their headers hold the number of a related type,
/// see CpuModels::detect_numbered().
inline constexpr uint32_t cpu_type_unnumbered = 0x20000;

/// The facts that CPUID reports about an x86 processor.
struct X86Processor {
    std::string vendor;   ///< "GenuineIntel"
    uint32_t family = 0;  ///< with the extended part
    uint32_t model = 0;   ///< with the extended part
    uint32_t stepping = 0;
    uint32_t siblings = 1;         ///< threads that share a core
    uint32_t perfmon_version = 0;  ///< of leaf 0xA; 0 = no architectural counters
    uint32_t counters = 0;         ///< by leaf 0xA, per logical processor
    uint32_t missing_events = 0;   ///< bit n = architectural event n is not there
};

/// The facts that a machine reports about its processors. Plain data, so that tests can describe any machine.
struct Processor {
    std::optional<X86Processor> x86;
    std::string platform, base_platform;  ///< AT_PLATFORM and AT_BASE_PLATFORM of POWER's auxiliary vector
    /// Keys and values of /proc/cpuinfo, in order.
    std::vector<std::pair<std::string, std::string>> cpuinfo;
};

/// CPUID leaf 0xA's registers as the three last members of `cpu`; reads the ones before.
void set_perfmon(X86Processor& cpu, uint32_t eax, uint32_t ebx);
/// The pairs of /proc/cpuinfo's text.
std::vector<std::pair<std::string, std::string>> parse_cpuinfo(std::string_view text);
/// The machine this runs on. Members that cannot be read stay empty.
Processor running_processor();

/// A range that includes both ends.
struct NumberRange {
    uint32_t first = 0, last = UINT32_MAX;
};
using NumberRanges = std::vector<NumberRange>;

/// One way to recognise a machine.
struct CpuRule {
    enum class Kind { x86, arm, ppc, s390, cpuinfo };
    Kind kind = Kind::x86;
    std::string key;              ///< x86: vendor; cpuinfo: key with '_' for blanks
    NumberRanges families;        ///< x86: families; arm: implementers
    NumberRanges models;          ///< x86: models; arm: parts
    std::optional<bool> perfmon;  ///< x86: has architectural counters
    std::optional<uint32_t> siblings;
    std::vector<std::string> names;  ///< ppc: names; s390: machines; cpuinfo: one, a prefix
};

/// True for a valid name of a CPU type: a path that stays below the directory of events.
bool is_cpu_type_name(std::string_view name);

/// A row of the table.
struct CpuModel {
    uint32_t number = cpu_type_unnumbered;  ///< in headers of version 0x13, or see above
    std::optional<uint32_t> number_0_9;     ///< in headers of version 0x12
    std::string name;                       ///< "i386/core_2": also the directory of its events
    std::string title;                      ///< "Core 2"
    uint32_t counters = 0;                  ///< hardware counters; 0 = the number that CPUID reports
    std::optional<EventSpec> default_event;
    bool has_perfmon_filter = false;  ///< events with a filter exist only if CPUID leaf 0xA lists them
    std::vector<std::string> pmus;    ///< libpfm's names
    std::string not_counted;  ///< why no current kernel counts the events of its files; empty: one does
    std::vector<CpuRule> rules;

    /// True if some rule recognises the machine.
    bool matches(const Processor& processor) const;
};

/// The table. Immutable.
class CpuModels {
public:
    /// Parses the file's text. Throws an input error "<label>:<line>: <what>".
    static CpuModels parse(std::string_view text, const std::string& label);

    std::span<const CpuModel> rows() const noexcept { return rows_; }
    /// The row of that name, or null.
    const CpuModel* find(std::string_view name) const;
    /// The row with that number (of version 0x13, or made of a dropped one), or null.
    const CpuModel* find_number(uint32_t number) const;
    /// The row with that number of version 0x12, or null.
    const CpuModel* find_number_0_9(uint32_t number) const;
    /// The number of version 0x13 for that of version 0x12; cpu_type_dropped if no row has that.
    uint32_t number_of_0_9(uint32_t number) const;
    /// The first row that recognises the machine; the timer's if none does.
    const CpuModel& detect(const Processor& processor) const;
    /// The first row that recognises the machine and has a number of version 0x13, which the headers of its
    /// sample files hold. The timer's row if no such row exists.
    const CpuModel& detect_numbered(const Processor& processor) const;

private:
    const CpuModel& timer() const;

    std::vector<CpuModel> rows_;
};

/// The table that was compiled in (events/cpu_models), which cpu_models() of libop/event_catalogue returns if
/// the file is missing. Thread-safe.
const CpuModels& builtin_cpu_models();

}  // namespace op
