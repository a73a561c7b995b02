// SPDX-License-Identifier: GPL-2.0-or-later
// Status 0 if this user may sample his own programs here at all: asked of the kernel, not of the tools under
// test.
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int main() {
    perf_event_attr attr{};
    attr.size = sizeof attr;
    attr.type = PERF_TYPE_SOFTWARE;
    attr.config = PERF_COUNT_SW_CPU_CLOCK;
    attr.sample_period = 1000000;
    attr.exclude_kernel = 1;
    if (::syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0) >= 0) return 0;
    ::perror("perf_event_open");
    return 1;
}
