// SPDX-License-Identifier: GPL-2.0-or-later
// Status 0 if this user may sample in each of the ways given, `user` without any: asked of the kernel, not of
// the tools under test. Else the way and the kernel's reason are printed.
//   user         own programs, in user mode
//   kernel       own programs, in the kernel, too
//   system-wide  all programs, in the kernel, too
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

struct Kind {
    const char* name;
    bool without_kernel;
    bool every_process;
};

constexpr Kind kinds[] = {{"user", true, false}, {"kernel", false, false}, {"system-wide", false, true}};

bool may_sample(const Kind& kind) {
    perf_event_attr attr{};
    attr.size = sizeof attr;
    attr.type = PERF_TYPE_SOFTWARE;
    attr.config = PERF_COUNT_SW_CPU_CLOCK;
    attr.sample_period = 1000000;
    attr.exclude_kernel = kind.without_kernel;
    const int pid = kind.every_process ? -1 : 0, cpu = kind.every_process ? ::sched_getcpu() : -1;
    const long fd = ::syscall(SYS_perf_event_open, &attr, pid, cpu, -1, 0);
    if (fd < 0) {
        ::fprintf(stderr, "perf_event_open (%s): %m\n", kind.name);
        return false;
    }
    ::close(static_cast<int>(fd));
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) return may_sample(kinds[0]) ? 0 : 1;
    for (int i = 1; i < argc; ++i) {
        const Kind* asked = nullptr;
        for (const Kind& kind : kinds)
            if (::strcmp(kind.name, argv[i]) == 0) asked = &kind;
        if (!asked) {
            ::fprintf(stderr, "no way to sample is called %s\n", argv[i]);
            return 2;
        }
        if (!may_sample(*asked)) return 1;
    }
    return 0;
}
