// SPDX-License-Identifier: GPL-2.0-or-later
// The processor of a recording, from what perf keeps about it. Sources: arch/*/util/header.c of tools/perf of
// Linux, for the forms of CPUID.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "libop/events/cpu_model.h"

namespace op::collect {

/// The processor whose feature CPUID is `cpu_id` and whose CPUDESC is `cpu_desc`. Members that they do not
/// contain stay empty: so does all of it for texts of another form.
Processor recorded_processor(std::string_view arch, std::string_view cpu_id, std::string_view cpu_desc);

/// A type as sample file headers and the manifest have it.
struct RecordedCpuType {
    uint32_t number = cpu_type_timer;
    std::string name;

    bool operator==(const RecordedCpuType&) const = default;
};
/// The type of that processor; the timer's if it is not known.
RecordedCpuType recorded_cpu_type(const Processor& processor, const CpuModels& models);

}  // namespace op::collect
