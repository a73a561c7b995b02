// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/import/recorded_processor.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "libop/base/tagged_lines.h"
#include "libop/base/text.h"

namespace op::collect {
namespace {

/// "GenuineIntel,6,143,8": vendor, family, model, stepping, decimal.
std::optional<X86Processor> parse_x86(std::string_view cpu_id) {
    const auto fields = split(cpu_id, ',');
    if (fields.size() < 4) return std::nullopt;
    std::array<uint32_t, 3> numbers{};
    for (size_t i = 0; i < numbers.size(); ++i) {
        const auto number = parse_number(trimmed(fields[i + 1]), 10);
        if (!number || *number > UINT32_MAX) return std::nullopt;
        numbers[i] = static_cast<uint32_t>(*number);
    }
    return X86Processor{std::string(fields[0]), numbers[0], numbers[1], numbers[2]};
}

/// "0x00000000410fd490": MIDR_EL1, implementer in bits 24 to 31, part in bits 4 to 15.
void add_arm(std::string_view cpu_id, Processor& processor) {
    const auto midr = parse_c_integer(trimmed(cpu_id));
    if (!midr) return;
    processor.cpuinfo.emplace_back("CPU implementer", "0x" + hex(*midr >> 24 & 0xff));
    processor.cpuinfo.emplace_back("CPU part", "0x" + hex(*midr >> 4 & 0xfff));
}

/// "IBM,2964,701": maker, type and more.
void add_s390(std::string_view cpu_id, Processor& processor) {
    const auto fields = split(cpu_id, ',');
    if (fields.size() > 1)
        processor.cpuinfo.emplace_back("processor 0", "machine = " + std::string(trimmed(fields[1])));
}

}  // namespace

Processor recorded_processor(std::string_view arch, std::string_view cpu_id, std::string_view cpu_desc) {
    Processor processor;
    if (arch == "x86_64" || (arch.size() == 4 && arch.ends_with("86")))
        processor.x86 = parse_x86(cpu_id);
    else if (arch.starts_with("aarch64") || arch.starts_with("arm"))
        add_arm(cpu_id, processor);
    else if (arch.starts_with("s390"))
        add_s390(cpu_id, processor);
    else if (!cpu_desc.empty())
        processor.cpuinfo.emplace_back("cpu", cpu_desc);  // POWER's line of that name
    return processor;
}

RecordedCpuType recorded_cpu_type(const Processor& processor, const CpuModels& models) {
    // Whether it describes its counters is not recorded: those that do not are known one by one.
    Processor found = processor;
    if (found.x86) found.x86->perfmon_version = models.detect(processor).number == cpu_type_timer;
    return {models.detect_numbered(found).number, models.detect(found).name};
}

}  // namespace op::collect
