// SPDX-License-Identifier: GPL-2.0-or-later
// Reads the processor's description: CPUID, the auxiliary vector and /proc/cpuinfo, or the files of a made-up
// machine.
#include <sys/auxv.h>

#include <algorithm>
#include <functional>

#include "libop/base/fd.h"
#include "libop/base/machine_root.h"
#include "libop/base/tagged_lines.h"
#include "libop/base/text.h"
#include "libop/events/cpu_model.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

namespace op {

namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

struct CpuidRegisters {
    uint32_t a = 0, b = 0, c = 0, d = 0;
};

/// All 0 for a leaf that the processor does not have.
using CpuidReader = std::function<CpuidRegisters(uint32_t leaf)>;

/// The first value of that key, or nothing.
std::string value_of(const Pairs& pairs, std::string_view key) {
    const auto found = std::ranges::find(pairs, key, &Pairs::value_type::first);
    return found == pairs.end() ? "" : found->second;
}

std::string vendor_text(const CpuidRegisters& r) {
    std::string vendor;
    for (const uint32_t word : {r.b, r.d, r.c})
        for (int shift = 0; shift < 32; shift += 8)
            vendor += static_cast<char>(word >> shift);
    return vendor;
}

/// Threads of a core. A processor of several cores describes them in leaf 4; leaf 1 counts all threads.
uint32_t count_siblings(const CpuidReader& cpuid, const CpuidRegisters& identity, uint32_t greatest_leaf) {
    constexpr uint32_t cores_leaf = 4;
    const uint32_t threads = identity.d >> 28 & 1 ? identity.b >> 16 & 0xff : 1;
    const uint32_t cores = greatest_leaf < cores_leaf ? 1 : (cpuid(cores_leaf).a >> 26) + 1;
    return std::max(1u, threads / cores);
}

X86Processor decode_cpuid(const CpuidReader& cpuid) {
    constexpr uint32_t perfmon_leaf = 0xa;
    const CpuidRegisters first = cpuid(0), identity = cpuid(1);
    X86Processor cpu;
    cpu.vendor = vendor_text(first);
    cpu.family = identity.a >> 8 & 0xf;
    cpu.model = identity.a >> 4 & 0xf;
    cpu.stepping = identity.a & 0xf;
    if (cpu.family == 6 || cpu.family == 15) cpu.model |= identity.a >> 12 & 0xf0;
    if (cpu.family == 15) cpu.family += identity.a >> 20 & 0xff;
    cpu.siblings = count_siblings(cpuid, identity, first.a);
    if (first.a < perfmon_leaf) return cpu;
    const CpuidRegisters perfmon = cpuid(perfmon_leaf);
    set_perfmon(cpu, perfmon.a, perfmon.b);
    return cpu;
}

#if defined(__x86_64__) || defined(__i386__)

std::optional<X86Processor> own_cpuid() {
    return decode_cpuid([](uint32_t leaf) {
        CpuidRegisters r;
        __get_cpuid_count(leaf, 0, &r.a, &r.b, &r.c, &r.d);
        return r;
    });
}

#else

std::optional<X86Processor> own_cpuid() {
    return std::nullopt;
}

#endif

std::string own_platform([[maybe_unused]] unsigned long key) {
#ifdef __powerpc__
    if (const auto* const name = reinterpret_cast<const char*>(::getauxval(key))) return name;
#endif
    return "";
}

/// The pairs of a file of the made-up machine; none if there is no such file.
Pairs made_up_pairs(const std::string& name) {
    return parse_cpuinfo(read_file_if_any(machine_path(name)).value_or(""));
}

/// The file "cpuid", lines of "LEAF: EAX EBX ECX EDX" in hexadecimal. Without it the machine is no x86.
std::optional<X86Processor> made_up_cpuid() {
    const Pairs leaves = made_up_pairs("/cpuid");
    if (leaves.empty()) return std::nullopt;
    return decode_cpuid([&](uint32_t leaf) {
        const std::string words = value_of(leaves, hex(leaf));
        std::string_view rest = words;
        const auto next = [&rest] {
            return static_cast<uint32_t>(parse_number(take_word(rest), 16).value_or(0));
        };
        CpuidRegisters r;
        for (uint32_t* const part : {&r.a, &r.b, &r.c, &r.d})
            *part = next();
        return r;
    });
}

}  // namespace

Processor running_processor() {
    Processor processor;
    if (made_up_machine()) {
        const Pairs vector = made_up_pairs("/auxv");
        processor.x86 = made_up_cpuid();
        processor.platform = value_of(vector, "AT_PLATFORM");
        processor.base_platform = value_of(vector, "AT_BASE_PLATFORM");
    } else {
        processor.x86 = own_cpuid();
        processor.platform = own_platform(AT_PLATFORM);
        processor.base_platform = own_platform(AT_BASE_PLATFORM);
    }
    // If the file is missing, CPUID and the auxiliary vector are enough.
    processor.cpuinfo = parse_cpuinfo(read_file_if_any(machine_path("/proc/cpuinfo")).value_or(""));
    return processor;
}

}  // namespace op
