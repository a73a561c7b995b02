// SPDX-License-Identifier: GPL-2.0-or-later
// The CPU types of sample file headers, and which one the running machine is. Knows no events.
#include <algorithm>
#include <iterator>

#include "libop/event_table.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

namespace op {

namespace {

/// A type under both numberings; version 0x13 closed the gaps that removed types left in that of 0x12.
struct Row {
    CpuType type;
    uint32_t number_0_9;
};
constexpr uint32_t none = ~0u;

constexpr Row rows[] = {
    {{0, "i386/ppro", "Pentium Pro"}, 0},
    {{1, "i386/pii", "PII"}, 1},
    {{2, "i386/piii", "PIII"}, 2},
    {{3, "i386/athlon", "Athlon"}, 3},
    {{4, "timer", "CPU with timer interrupt"}, 4},
    {{5, "i386/p4", "P4 / Xeon"}, 6},
    {{6, "x86-64/hammer", "AMD64 processors"}, 10},
    {{7, "i386/p4-ht", "P4 / Xeon with 2 hyper-threads"}, 11},
    {{8, "alpha/ev67", "Alpha EV67"}, 16},
    {{9, "i386/p6_mobile", "Pentium M (P6 core)"}, 17},
    {{10, "arm/xscale1", "ARM/XScale PMU1"}, 18},
    {{11, "arm/xscale2", "ARM/XScale PMU2"}, 19},
    {{12, "ppc64/power4", "ppc64 POWER4"}, 20},
    {{13, "ppc64/power5", "ppc64 POWER5"}, 21},
    {{14, "ppc64/power5+", "ppc64 POWER5+"}, 22},
    {{15, "ppc64/970", "ppc64 970"}, 23},
    {{16, "mips/20K", "MIPS 20K"}, 24},
    {{17, "mips/24K", "MIPS 24K"}, 25},
    {{18, "mips/25K", "MIPS 25K"}, 26},
    {{19, "mips/34K", "MIPS 34K"}, 27},
    {{20, "mips/5K", "MIPS 5K"}, 28},
    {{21, "mips/r10000", "MIPS R10000"}, 29},
    {{22, "mips/r12000", "MIPS R12000"}, 30},
    {{23, "mips/rm7000", "QED RM7000"}, 31},
    {{24, "mips/rm9000", "PMC-Sierra RM9000"}, 32},
    {{25, "mips/sb1", "Sibyte SB1"}, 33},
    {{26, "mips/vr5432", "NEC VR5432"}, 34},
    {{27, "mips/vr5500", "NEC VR5500"}, 35},
    {{28, "ppc/e500", "e500"}, 36},
    {{29, "ppc/e500v2", "e500v2"}, 37},
    {{30, "i386/core", "Core Solo / Duo"}, 38},
    {{31, "ppc/7450", "PowerPC G4"}, 39},
    {{32, "i386/core_2", "Core 2"}, 40},
    {{33, "ppc64/power6", "ppc64 POWER6"}, 41},
    {{34, "ppc64/970MP", "ppc64 970MP"}, 42},
    {{35, "x86-64/family10", "AMD64 family10"}, 44},
    {{36, "arm/mpcore", "ARM 11MPCore"}, 46},
    {{37, "arm/armv6", "ARM V6 PMU"}, 47},
    {{38, "ppc64/power5++", "ppc64 POWER5++"}, 48},
    {{39, "ppc/e300", "e300"}, 49},
    {{40, "arm/armv7", "ARM Cortex-A8"}, 51},
    {{41, "i386/arch_perfmon", "Intel Architectural Perfmon"}, 52},
    {{42, "x86-64/family11h", "AMD64 family11h"}, 53},
    {{43, "ppc64/power7", "ppc64 POWER7"}, 54},
    {{44, "i386/core_i7", "Intel Core/i7"}, 56},
    {{45, "i386/atom", "Intel Atom"}, 57},
    {{46, "mips/loongson2", "Loongson2"}, 58},
    {{47, "i386/nehalem", "Intel Nehalem microarchitecture"}, 59},
    {{48, "arm/armv7-ca9", "ARM Cortex-A9"}, 60},
    {{49, "mips/74K", "MIPS 74K"}, 61},
    {{50, "mips/1004K", "MIPS 1004K"}, 62},
    {{51, "x86-64/family12h", "AMD64 family12h"}, 63},
    {{52, "x86-64/family14h", "AMD64 family14h"}, 64},
    {{53, "x86-64/family15h", "AMD64 family15h"}, 65},
    {{54, "i386/westmere", "Intel Westmere microarchitecture"}, 66},
    {{55, "arm/armv7-scorpion", "ARMv7 Scorpion"}, 67},
    {{56, "arm/armv7-scorpionmp", "ARMv7 ScorpionMP"}, 68},
    {{57, "i386/sandybridge", "Intel Sandy Bridge microarchitecture"}, 69},
    {{58, "tile/tile64", "TILE64"}, 70},
    {{59, "tile/tilepro", "TILEPro"}, 71},
    {{60, "tile/tilegx", "TILE-GX"}, 72},
    {{61, "s390/z10", "IBM System z10"}, 73},
    {{62, "s390/z196", "IBM zEnterprise z196"}, 74},
    {{63, "i386/ivybridge", "Intel Ivy Bridge microarchitecture"}, 75},
    {{64, "arm/armv7-ca5", "ARM Cortex-A5"}, 76},
    {{65, "arm/armv7-ca7", "ARM Cortex-A7"}, 77},
    {{66, "arm/armv7-ca15", "ARM Cortex-A15"}, 78},
    {{67, "i386/haswell", "Intel Haswell microarchitecture"}, 79},
    {{68, "s390/zEC12", "IBM zEnterprise EC12"}, 80},
    {{69, "x86-64/generic", "AMD64 generic"}, 81},
    {{70, "ppc64/architected_events_v1", "IBM Power Architected Events V1"}, 82},
    {{71, "ppc64/power8", "ppc64 POWER8"}, 83},
    {{72, "ppc/e500mc", "e500mc"}, none},
    {{73, "ppc/e6500", "e6500"}, none},
    {{74, "i386/silvermont", "Intel Silvermont microarchitecture"}, none},
    {{75, "arm/armv7-krait", "ARMv7 Krait"}, none},
    {{76, "arm/armv8-xgene", "APM X-Gene"}, none},
    {{77, "i386/broadwell", "Intel Broadwell microarchitecture"}, none},
    {{78, "arm/armv8-ca57", "ARM Cortex-A57"}, none},
    {{79, "arm/armv8-ca53", "ARM Cortex-A53"}, none},
    {{80, "i386/skylake", "Intel Skylake microarchitecture"}, none},
    {{81, "i386/goldmont", "Intel Goldmont microarchitecture"}, none},
    {{82, "i386/goldmontplus", "Intel Goldmont Plus microarchitecture"}, none},
    {{83, "s390/z13", "IBM z13"}, none},
    {{84, "arm/armv7-ca17", "ARM Cortex-A17"}, none},
    {{85, "ppc64/power9", "ppc64 POWER9"}, none},
    {{86, "i386/knightslanding", "Intel Knights Landing"}, none},
    {{87, "arm/armv8-thunderx2", "Cavium ThunderX2"}, none},
    {{cpu_type_dropped + 5, "rtc", "CPU with RTC device"}, 5},
    {{cpu_type_dropped + 7, "ia64/ia64", "IA64"}, 7},
    {{cpu_type_dropped + 8, "ia64/itanium", "Itanium"}, 8},
    {{cpu_type_dropped + 9, "ia64/itanium2", "Itanium 2"}, 9},
    {{cpu_type_dropped + 12, "alpha/ev4", "Alpha EV4"}, 12},
    {{cpu_type_dropped + 13, "alpha/ev5", "Alpha EV5"}, 13},
    {{cpu_type_dropped + 14, "alpha/pca56", "Alpha PCA56"}, 14},
    {{cpu_type_dropped + 15, "alpha/ev6", "Alpha EV6"}, 15},
    {{cpu_type_dropped + 43, "ppc64/cell-be", "ppc64 Cell Broadband Engine"}, 43},
    {{cpu_type_dropped + 45, "ppc64/pa6t", "ppc64 PA6T"}, 45},
    {{cpu_type_dropped + 50, "avr32", "AVR32"}, 50},
    {{cpu_type_dropped + 55, "ppc64/ibm-compat-v1", "ppc64 compat version 1"}, 55},
};

const CpuType& named(std::string_view name) {
    const CpuType* type = find_cpu_type(name);
    return type ? *type : *find_cpu_type(cpu_type_timer);
}

struct ModelRow {
    uint32_t model;
    std::string_view name;
};

// Intel processors of family 6 that have architectural performance monitoring.
constexpr ModelRow intel_models[] = {
    {0x0f, "i386/core_2"},         {0x16, "i386/core_2"},       {0x17, "i386/core_2"},
    {0x1d, "i386/core_2"},         {0x1a, "i386/core_i7"},      {0x1e, "i386/core_i7"},
    {0x1f, "i386/core_i7"},        {0x2e, "i386/core_i7"},      {0x1c, "i386/atom"},
    {0x25, "i386/westmere"},       {0x2c, "i386/westmere"},     {0x2f, "i386/westmere"},
    {0x2a, "i386/sandybridge"},    {0x2d, "i386/sandybridge"},  {0x3a, "i386/ivybridge"},
    {0x3e, "i386/ivybridge"},      {0x3c, "i386/haswell"},      {0x3f, "i386/haswell"},
    {0x45, "i386/haswell"},        {0x46, "i386/haswell"},      {0x3d, "i386/broadwell"},
    {0x47, "i386/broadwell"},      {0x4f, "i386/broadwell"},    {0x56, "i386/broadwell"},
    {0x4e, "i386/skylake"},        {0x5e, "i386/skylake"},      {0x55, "i386/skylake"},
    {0x8e, "i386/skylake"},        {0x9e, "i386/skylake"},      {0x37, "i386/silvermont"},
    {0x4c, "i386/silvermont"},     {0x4d, "i386/silvermont"},   {0x5c, "i386/goldmont"},
    {0x5f, "i386/goldmont"},       {0x7a, "i386/goldmontplus"}, {0x57, "i386/knightslanding"},
    {0x85, "i386/knightslanding"},
};

std::string_view old_intel(const X86Cpu& cpu) {
    if (cpu.family == 6) {
        if (cpu.model <= 2) return "i386/ppro";
        if (cpu.model <= 5) return "i386/pii";
        if (cpu.model == 9 || cpu.model == 13) return "i386/p6_mobile";
        return cpu.model <= 11 ? "i386/piii" : "timer";
    }
    if (cpu.family != 15 || cpu.model > 6 || cpu.model == 5) return "timer";
    return cpu.siblings == 1 ? "i386/p4" : cpu.siblings == 2 ? "i386/p4-ht" : "timer";
}

std::string_view intel(const X86Cpu& cpu) {
    if (!cpu.arch_perfmon) return old_intel(cpu);
    const auto row = std::ranges::find(intel_models, cpu.model, &ModelRow::model);
    return cpu.family == 6 && row != std::end(intel_models) ? row->name : "i386/arch_perfmon";
}

std::string_view amd(uint32_t family) {
    switch (family) {
        case 0x06:
            return "i386/athlon";
        case 0x0f:
            return "x86-64/hammer";
        case 0x10:
            return "x86-64/family10";
        case 0x11:
            return "x86-64/family11h";
        case 0x12:
            return "x86-64/family12h";
        case 0x14:
            return "x86-64/family14h";
        case 0x15:
            return "x86-64/family15h";
        case 0x13:
            return "timer";
        default:
            return family < 0x0f ? "timer" : "x86-64/generic";
    }
}

#if defined(__x86_64__) || defined(__i386__)

struct CpuidRegisters {
    uint32_t a = 0, b = 0, c = 0, d = 0;
};

CpuidRegisters cpuid(uint32_t leaf) {
    CpuidRegisters r;
    __get_cpuid_count(leaf, 0, &r.a, &r.b, &r.c, &r.d);
    return r;
}

std::string vendor_text(const CpuidRegisters& r) {
    std::string vendor;
    for (const uint32_t word : {r.b, r.d, r.c})
        for (int shift = 0; shift < 32; shift += 8)
            vendor += static_cast<char>(word >> shift);
    return vendor;
}

const CpuType& detect() {
    const CpuidRegisters first = cpuid(0), identity = cpuid(1);
    const std::string vendor = vendor_text(first);
    X86Cpu cpu{.vendor = vendor};
    cpu.family = identity.a >> 8 & 0xf;
    cpu.model = identity.a >> 4 & 0xf;
    if (cpu.family == 6 || cpu.family == 15) cpu.model |= identity.a >> 12 & 0xf0;
    if (cpu.family == 15) cpu.family += identity.a >> 20 & 0xff;
    cpu.arch_perfmon = first.a >= 10 && (cpuid(10).a & 0xff) != 0;
    cpu.siblings = identity.d >> 28 & 1 ? identity.b >> 16 & 0xff : 1;
    return named(x86_cpu_type(cpu));
}

#else

// Machines other than x86 profile by the software clock until someone with such a machine adds its row.
const CpuType& detect() {
    return named("timer");
}

#endif

}  // namespace

const CpuType* find_cpu_type(uint32_t number) {
    const auto row = std::ranges::find(rows, number, [](const Row& r) { return r.type.number; });
    return row == std::end(rows) ? nullptr : &row->type;
}

const CpuType* find_cpu_type(std::string_view name) {
    const auto row = std::ranges::find(rows, name, [](const Row& r) { return r.type.name; });
    return row == std::end(rows) ? nullptr : &row->type;
}

const CpuType* find_cpu_type_0_9(uint32_t number) {
    const auto row = std::ranges::find(rows, number, &Row::number_0_9);
    return row == std::end(rows) || number == none ? nullptr : &row->type;
}

std::string_view x86_cpu_type(const X86Cpu& cpu) {
    if (cpu.vendor == "GenuineIntel") return intel(cpu);
    if (cpu.vendor == "AuthenticAMD" || cpu.vendor == "HygonGenuine") return amd(cpu.family);
    return "timer";
}

const CpuType& running_cpu_type() {
    static const CpuType& type = detect();
    return type;
}

}  // namespace op
