// SPDX-License-Identifier: GPL-2.0-or-later
// Detects the CPU model: matches what a processor reports against the rows.
#include <algorithm>

#include "libop/base/tagged_lines.h"
#include "libop/base/text.h"
#include "libop/events/cpu_model.h"

namespace op {

namespace {

bool holds(const NumberRanges& ranges, uint32_t number) {
    return std::ranges::any_of(ranges,
                               [&](const NumberRange& r) { return r.first <= number && number <= r.last; });
}

/// The first value of that key, or nothing.
std::string value_of(const Processor& processor, std::string_view key) {
    for (const auto& [name, value] : processor.cpuinfo)
        if (name == key) return value;
    return "";
}

/// Hygon's processors are AMD's.
std::string_view maker(std::string_view vendor) {
    return vendor == "HygonGenuine" ? "AuthenticAMD" : vendor;
}

bool matches_x86(const CpuRule& rule, const Processor& processor) {
    if (!processor.x86) return false;
    const X86Processor& cpu = *processor.x86;
    return maker(cpu.vendor) == maker(rule.key) && holds(rule.families, cpu.family) &&
           holds(rule.models, cpu.model) && (!rule.perfmon || *rule.perfmon == (cpu.perfmon_version != 0)) &&
           (!rule.siblings || *rule.siblings == cpu.siblings);
}

bool matches_arm(const CpuRule& rule, const Processor& processor) {
    const auto implementer = parse_c_integer(value_of(processor, "CPU implementer"));
    const auto part = parse_c_integer(value_of(processor, "CPU part"));
    return implementer && part && *implementer <= UINT32_MAX && *part <= UINT32_MAX &&
           holds(rule.families, static_cast<uint32_t>(*implementer)) &&
           holds(rule.models, static_cast<uint32_t>(*part));
}

std::string without_plus(std::string platform) {
    if (platform.ends_with('+')) platform.pop_back();
    return platform;
}

/// The name that rows know a POWER machine by. A kernel may run its programs as on an earlier processor; the
/// hardware still counts as itself, but only across one generation can the kernel use that.
std::string power_name(const Processor& processor) {
    const std::string platform = without_plus(processor.platform);
    const std::string base = without_plus(processor.base_platform);
    if (!platform.empty() && !base.empty() && platform != base) {
        const bool is_next =
            (platform == "power7" && base == "power8") || (platform == "power8" && base == "power9");
        return is_next ? base : "architected_events_v1";
    }
    const std::string cpu = lower(value_of(processor, "cpu"));
    return cpu.substr(0, cpu.find_first_of(" \t,"));
}

bool matches_power(const CpuRule& rule, const Processor& processor) {
    return std::ranges::find(rule.names, power_name(processor)) != rule.names.end();
}

/// "processor 0: version = FF,  identification = 123456,  machine = 2964".
bool matches_s390(const CpuRule& rule, const Processor& processor) {
    constexpr std::string_view tag = "machine = ";
    const std::string said = value_of(processor, "processor 0");
    const size_t at = said.find(tag);
    if (at == said.npos) return false;
    std::string_view rest = std::string_view(said).substr(at + tag.size());
    return std::ranges::find(rule.names, take_word(rest)) != rule.names.end();
}

bool matches_cpuinfo(const CpuRule& rule, const Processor& processor) {
    std::string key = rule.key;
    std::ranges::replace(key, '_', ' ');
    return lower(value_of(processor, key)).starts_with(lower(rule.names.front()));
}

bool matches_rule(const CpuRule& rule, const Processor& processor) {
    switch (rule.kind) {
        case CpuRule::Kind::x86:
            return matches_x86(rule, processor);
        case CpuRule::Kind::arm:
            return matches_arm(rule, processor);
        case CpuRule::Kind::ppc:
            return matches_power(rule, processor);
        case CpuRule::Kind::s390:
            return matches_s390(rule, processor);
        case CpuRule::Kind::cpuinfo:
            return matches_cpuinfo(rule, processor);
    }
    return false;
}

}  // namespace

void set_perfmon(X86Processor& cpu, uint32_t eax, uint32_t ebx) {
    const uint32_t valid = std::min(eax >> 24, 32u);
    cpu.perfmon_version = eax & 0xff;
    cpu.counters = eax >> 8 & 0xff;
    cpu.missing_events = valid == 32 ? ebx : ebx & ((1u << valid) - 1);
    // Early Nehalems leave the bit clear, though their reference cycles count wrongly.
    if (cpu.vendor == "GenuineIntel" && cpu.family == 6 && cpu.model == 26 && cpu.stepping <= 4)
        cpu.missing_events |= 1u << 2;
}

std::vector<std::pair<std::string, std::string>> parse_cpuinfo(std::string_view text) {
    std::vector<std::pair<std::string, std::string>> pairs;
    while (!text.empty()) {
        const std::string_view line = take_line(text);
        const size_t colon = line.find(':');
        if (colon == line.npos) continue;
        pairs.emplace_back(trimmed(line.substr(0, colon)), trimmed(line.substr(colon + 1)));
    }
    return pairs;
}

bool CpuModel::matches(const Processor& processor) const {
    return std::ranges::any_of(rules, [&](const CpuRule& rule) { return matches_rule(rule, processor); });
}

const CpuModel& CpuModels::timer() const {
    return *find_number(cpu_type_timer);
}

const CpuModel& CpuModels::detect(const Processor& processor) const {
    const auto row =
        std::ranges::find_if(rows_, [&](const CpuModel& model) { return model.matches(processor); });
    return row == rows_.end() ? timer() : *row;
}

const CpuModel& CpuModels::detect_numbered(const Processor& processor) const {
    const auto row = std::ranges::find_if(rows_, [&](const CpuModel& model) {
        return model.number < cpu_type_dropped && model.matches(processor);
    });
    return row == rows_.end() ? timer() : *row;
}

}  // namespace op
