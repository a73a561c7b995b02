// SPDX-License-Identifier: GPL-2.0-or-later
// Reading the CPU lists of PMUs.
#include "daemon/perf/event_cpus.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "daemon/source/cpu_list.h"
#include "libop/base/fd.h"
#include "libop/base/kernel_file.h"
#include "libop/base/text.h"

namespace op::collect {
namespace {

namespace fs = std::filesystem;

constexpr uint32_t perf_type_hw_cache = 3;  // perf_event_open(2), PERF_TYPE_HW_CACHE
constexpr uint32_t first_own_type = 6;      // PERF_TYPE_MAX: above are the PMUs of their own

CountingCpus cpus_in(const std::string& path) {
    if (!is_regular_file(path)) return std::nullopt;
    return parse_cpu_list(read_kernel_line(path));
}

bool is_of_type(const fs::path& pmu, uint32_t type) {
    const std::string path = pmu.native() + "/type";
    return is_regular_file(path) && parse_number(read_kernel_line(path)) == type;
}

}  // namespace

bool counts_on(const CountingCpus& cpus, uint32_t cpu) noexcept {
    return !cpus || std::ranges::find(*cpus, cpu) != cpus->end();
}

CountingCpus cpus_of_pmu(const std::string& devices, const std::string& pmu) {
    const auto beside = cpus_in(devices + "/" + pmu + "/cpumask");
    return beside ? beside : cpus_in(devices + "/" + pmu + "/cpus");
}

CountingCpus cpus_of_event(const std::string& devices, const EventEncoding& encoding) {
    const uint32_t type = encoding.type;
    if (type == perf_type_hardware || type == perf_type_hw_cache || type == perf_type_raw)
        return cpus_in(devices + "/cpu_core/cpus");
    if (type < first_own_type) return std::nullopt;
    std::error_code error;
    for (fs::directory_iterator it(devices, error), end; !error && it != end; it.increment(error))
        if (is_of_type(it->path(), type)) return cpus_in(it->path().native() + "/cpus");
    return std::nullopt;
}

}  // namespace op::collect
