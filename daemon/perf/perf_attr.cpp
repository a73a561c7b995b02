// SPDX-License-Identifier: GPL-2.0-or-later
// Building perf_event_attr.
#include "daemon/perf/perf_attr.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstddef>

#include "daemon/perf/user_registers.h"

namespace op::collect {

namespace {

/// What all events have in common.
perf_event_attr common_attr(const PerfRequest& request, const PerfFeatures& features) {
    perf_event_attr attr{};
    attr.size = sizeof attr;
    attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
    if (request.several_events) attr.sample_type |= PERF_SAMPLE_IDENTIFIER;
    attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID |
                       (features.lost_count ? uint64_t{PERF_FORMAT_LOST} : 0);
    attr.disabled = 1;
    attr.enable_on_exec = request.enable_on_exec;
    attr.inherit = 1;
    attr.sample_id_all = 1;
    attr.watermark = 1;  // wake the reader when the ring is half full (wakeup_watermark 0)
    attr.use_clockid = 1;
    attr.clockid = CLOCK_MONOTONIC;
    return attr;
}

/// The one event that goes on while a CPU sleeps. Counters stop there, and some refuse the flag.
bool is_cpu_clock(const EventEncoding& encoding) {
    return encoding.type == PERF_TYPE_SOFTWARE && encoding.config == PERF_COUNT_SW_CPU_CLOCK;
}

}  // namespace

perf_event_attr make_attr(const RecordedEvent& event, const EventEncoding& encoding,
                          const PerfRequest& request, const PerfFeatures& features) {
    perf_event_attr attr = common_attr(request, features);
    attr.type = encoding.type;
    attr.config = encoding.config;
    attr.config1 = encoding.config1;
    attr.config2 = encoding.config2;
    attr.precise_ip = features.precise ? encoding.precise : 0;
    attr.sample_period = event.count;
    if (request.callgraph) attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
    if (request.callgraph && request.stack_bytes != 0 && user_register_mask != 0) {
        attr.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
        attr.sample_regs_user = user_register_mask;
        attr.sample_stack_user = request.stack_bytes;
        attr.exclude_callchain_user = 1;
        attr.wakeup_watermark = request.wakeup_bytes;
    }
    // AMD's samplers see both modes; what is not wanted of them is left out later.
    const bool is_sampler = encoding.sampler != Sampler::counter;
    if (is_sampler) attr.sample_type |= PERF_SAMPLE_RAW;
    attr.exclude_kernel = !is_sampler && (!event.kernel || !features.kernel_mode);
    attr.exclude_hv = attr.exclude_kernel;
    attr.exclude_user = !is_sampler && !event.user;
    attr.exclude_idle = is_cpu_clock(encoding);
    return attr;
}

perf_event_attr make_side_band_attr(const PerfRequest& request, const PerfFeatures& features) {
    perf_event_attr attr = common_attr(request, features);
    attr.type = PERF_TYPE_SOFTWARE;
    attr.config = PERF_COUNT_SW_DUMMY;
    attr.exclude_kernel = attr.exclude_hv = 1;  // counting nothing needs no permission for kernel mode
    attr.mmap = attr.mmap2 = attr.comm = attr.comm_exec = attr.task = 1;
    attr.build_id = features.build_id;
    return attr;
}

std::optional<PerfReading> read_event(const Fd& event, const PerfFeatures& features) noexcept {
    PerfReading reading;
    const size_t size = features.lost_count ? sizeof reading : offsetof(PerfReading, lost);
    if (::read(event.get(), &reading, size) != static_cast<ssize_t>(size)) return std::nullopt;
    return reading;
}

Fd perf_event_open(perf_event_attr& attr, pid_t pid, int cpu) noexcept {
    return Fd(static_cast<int>(::syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC)));
}

}  // namespace op::collect
