// SPDX-License-Identifier: GPL-2.0-or-later
// Reads rusage and the monotonic clock.
#include "daemon/collect/recorder_clock.h"

#include <sys/resource.h>
#include <sys/time.h>

#include "libop/base/clock.h"

namespace op::collect {

namespace {

uint64_t own_cpu_ns() noexcept {
    const auto ns = [](const timeval& time) {
        return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 +
               static_cast<uint64_t>(time.tv_usec) * 1000;
    };
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return ns(usage.ru_utime) + ns(usage.ru_stime);
}

}  // namespace

RecorderClock own_recorder_clock() {
    return [began = monotonic_ns()] { return RecorderCpu{own_cpu_ns(), monotonic_ns() - began}; };
}

}  // namespace op::collect
