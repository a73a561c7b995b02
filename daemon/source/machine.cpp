// SPDX-License-Identifier: GPL-2.0-or-later
// uname and /proc/cpuinfo.
#include "daemon/source/machine.h"

#include <sys/resource.h>
#include <sys/utsname.h>

#include <cstdlib>

#include "libop/base/fd.h"
#include "libop/base/machine_root.h"
#include "libop/base/text.h"
#include "libop/events/event_catalogue.h"

namespace op::collect {

void read_cpuinfo(std::string_view text, SessionInfo& info) {
    for (const auto& [key, value] : parse_cpuinfo(text)) {
        if (key == "model name" && info.cpu_model.empty()) info.cpu_model = value;
        if (key == "cpu MHz" && info.cpu_speed_mhz == 0)
            info.cpu_speed_mhz = std::strtod(value.c_str(), nullptr);
    }
}

SessionInfo describe_machine() {
    SessionInfo info;
    utsname names{};
    if (::uname(&names) == 0) {
        info.host = names.nodename;
        info.kernel_release = names.release;
        info.machine = names.machine;
    }
    // If it cannot be read, only the report's line on the processor is shorter.
    read_cpuinfo(read_file_if_any(machine_path("/proc/cpuinfo")).value_or(""), info);
    info.cpu_type = cpu_type_timer;
    info.cpu_type_name = cpu_models().find_number(cpu_type_timer)->name;
    return info;
}

void note_made_up_machine(Diagnostics& notes) {
    if (const auto directory = made_up_machine())
        notes.warn("the machine's description is taken from " + *directory + " (" + machine_variable +
                   "), so the numbers of events may not be this machine's; for this machine, unset " +
                   machine_variable);
}

void raise_file_limit() noexcept {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace op::collect
