// SPDX-License-Identifier: GPL-2.0-or-later
// Explaining perf_event_open(2) errors.
#include "daemon/perf/perf_errors.h"

#include <unistd.h>

#include <cerrno>

#include "libop/base/error.h"
#include "libop/base/fd.h"
#include "libop/base/kernel_file.h"
#include "libop/base/machine_root.h"
#include "libop/base/text.h"

namespace op::collect {
namespace {

/// A fact of this process, not of the machine: a made-up machine does not replace it.
bool seccomp_filter_on() {
    const std::string text = read_kernel_file("/proc/self/status");
    std::string_view rest = text;
    while (!rest.empty()) {
        std::string_view line = take_line(rest);
        if (take_word(line) == "Seccomp:") return take_word(line) == "2";
    }
    return false;
}

std::string explain_refusal(const PerfSituation& s) {
    const std::string head =
        s.system_wide ? "profiling the whole system is not permitted: " : "profiling is not permitted: ";
    if (s.seccomp)
        return head +
               "a seccomp filter (Seccomp: 2 in /proc/self/status) may block perf_event_open; in a "
               "container, "
               "allow that system call or add the capability PERFMON";
    if (s.ibs && !s.root && !s.system_wide && s.paranoid > "1")
        return head + "IBS takes samples of the kernel, too, and kernel.perf_event_paranoid is " +
               s.paranoid + "; run as root, or as root set it: sysctl kernel.perf_event_paranoid=1";
    if (s.pid != 0 && !s.root && s.paranoid <= "2" && s.paranoid.size() == 1)
        return head + "process " + std::to_string(s.pid) + " belongs to another user; run as root";
    if (s.root)
        return head + "root lacks the capability PERFMON or SYS_ADMIN here; grant it (container, lockdown)";
    const char* value = s.system_wide ? "0" : "2";
    return head + "kernel.perf_event_paranoid is " + s.paranoid +
           "; run as root, or as root set it: sysctl " + "kernel.perf_event_paranoid=" + value;
}

std::string event_of(const PerfSituation& s) {
    return s.event.empty() ? "that event" : "event '" + printable(s.event) + "'";
}

}  // namespace

bool is_unsupported(int error) noexcept {
    return error == ENOENT || error == EOPNOTSUPP || error == ENODEV;
}

PerfSituation perf_situation(int error, bool system_wide, int pid) {
    return {error,
            system_wide,
            ::geteuid() == 0,
            read_kernel_line(machine_path("/proc/sys/kernel/perf_event_paranoid")),
            seccomp_filter_on(),
            pid};
}

std::string explain_perf_error(const PerfSituation& s) {
    switch (s.error) {
        case EACCES:
        case EPERM:
            return explain_refusal(s);
        case ENOSYS:
            return s.seccomp ? explain_refusal(s)
                             : "this kernel has no perf_event_open; one with CONFIG_PERF_EVENTS is needed";
        case EBUSY:
            return "the processor's counters are in use by another profiler; stop it or use event TIMER";
        case ENOENT:
        case EOPNOTSUPP:
        case ENODEV:
            return "this machine cannot count " + event_of(s) + "; use event TIMER";
        case EINVAL:
            if (s.ibs && !s.system_wide)
                return "this kernel takes IBS samples of the whole system only; use --system-wide";
            return "the kernel refuses " + event_of(s) + ": it may count it, but take no samples of it";
        case EMFILE:
            return "too many files open: one is needed per thread, processor and event, and one more per "
                   "thread and processor; raise the limit (ulimit -n)";
        case ESRCH:
            return "process " + std::to_string(s.pid) + " ended before profiling was started";
        default:
            return "perf_event_open failed: " + errno_text(s.error);
    }
}

}  // namespace op::collect
