// SPDX-License-Identifier: GPL-2.0-or-later
// Asking the kernel by opening counters that count nothing.
#include "daemon/perf/perf_probe.h"

#include <cerrno>

#include "daemon/perf/perf_attr.h"
#include "daemon/perf/perf_errors.h"
#include "libop/base/error.h"
#include "libop/base/machine_root.h"
#include "libop/events/kernel_events.h"

namespace op::collect {
namespace {

/// True if a made-up machine's PMUs count events of that type: generic events and raw codes are those of the
/// processor's own PMU.
bool made_up_pmu_takes(uint32_t type) {
    if (type == PERF_TYPE_SOFTWARE || type == PERF_TYPE_TRACEPOINT || type == PERF_TYPE_BREAKPOINT)
        return true;
    const bool is_of_processor = type < PERF_TYPE_MAX;
    for (const auto& [name, number] : kernel_pmus(event_source_devices()))
        if (is_of_processor ? name == "cpu" || name == "cpu_core" || name.starts_with("armv")
                            : number == type)
            return true;
    return false;
}

}  // namespace

bool has_hardware_counters() {
    if (made_up_machine()) return made_up_pmu_takes(PERF_TYPE_HARDWARE);
    perf_event_attr attr{};
    attr.size = sizeof attr;
    attr.type = PERF_TYPE_HARDWARE;
    attr.config = PERF_COUNT_HW_CPU_CYCLES;
    attr.exclude_kernel = attr.exclude_hv = 1;
    return perf_event_open(attr, 0, -1) || !is_unsupported(errno);
}

bool perf_event_works(const RecordedEvent& event, const EventEncoding& encoding) {
    if (made_up_machine()) return made_up_pmu_takes(encoding.type);
    // PMUs of their own, as AMD's for sampled instructions, may not be able to leave a mode out.
    const bool is_own_pmu = encoding.type >= PERF_TYPE_MAX;
    perf_event_attr attr =
        make_attr(event, encoding, {}, {.kernel_mode = is_own_pmu, .lost_count = false, .precise = false});
    if (perf_event_open(attr, 0, -1)) return true;
    // Older kernels let AMD's samplers look at whole CPUs only.
    const bool is_sampler = encoding.sampler != Sampler::counter;
    return (is_sampler && errno == EINVAL && perf_event_open(attr, -1, 0)) ||
           is_countable(errno, event.name, is_sampler);
}

bool is_countable(int error, const std::string& event, bool is_sampler) {
    if (is_unsupported(error)) return false;
    PerfSituation situation = perf_situation(error, false, 0);
    situation.ibs = is_sampler;
    situation.event = event;
    throw Error(ErrorKind::system, explain_perf_error(situation), error);
}

}  // namespace op::collect
