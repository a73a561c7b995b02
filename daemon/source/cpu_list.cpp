// SPDX-License-Identifier: GPL-2.0-or-later
// Parsing CPU lists; /sys/devices/system/cpu/online.
#include "daemon/source/cpu_list.h"

#include <unistd.h>

#include <set>
#include <string>

#include "libop/base/error.h"
#include "libop/base/fd.h"
#include "libop/base/kernel_file.h"
#include "libop/base/machine_root.h"
#include "libop/base/text.h"

namespace op::collect {

std::optional<std::vector<uint32_t>> parse_cpu_list(std::string_view text) {
    constexpr uint64_t greatest_cpu = 1 << 16;
    std::set<uint32_t> cpus;
    for (const auto part : split(text, ',')) {
        const size_t dash = part.find('-');
        const auto first = parse_number(part.substr(0, dash));
        const auto last = dash == part.npos ? first : parse_number(part.substr(dash + 1));
        if (!first || !last || *last < *first || *last > greatest_cpu) return std::nullopt;
        for (uint64_t cpu = *first; cpu <= *last; ++cpu)
            cpus.insert(static_cast<uint32_t>(cpu));
    }
    return std::vector<uint32_t>(cpus.begin(), cpus.end());
}

std::vector<uint32_t> online_cpus() {
    const std::string text = read_kernel_line(machine_path("/sys/devices/system/cpu/online"));
    if (const auto cpus = parse_cpu_list(text)) return *cpus;
    return *parse_cpu_list("0-" + std::to_string(::sysconf(_SC_NPROCESSORS_ONLN) - 1));
}

}  // namespace op::collect
