// SPDX-License-Identifier: GPL-2.0-or-later
// uname and /proc/cpuinfo.
#include "daemon/machine.h"

#include <sys/resource.h>
#include <sys/utsname.h>

#include <cstdlib>

#include "libop/error.h"
#include "libop/event_table.h"
#include "libop/fd.h"
#include "libop/text.h"

namespace op::collect {
namespace {

std::string_view trimmed(std::string_view text) {
    const size_t first = text.find_first_not_of(" \t");
    if (first == text.npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace

void read_cpuinfo(std::string_view text, SessionInfo& info) {
    while (!text.empty() && (info.cpu_model.empty() || info.cpu_speed_mhz == 0)) {
        const std::string_view line = take_line(text);
        const size_t colon = line.find(':');
        if (colon == line.npos) continue;
        const auto key = trimmed(line.substr(0, colon)), value = trimmed(line.substr(colon + 1));
        if (key == "model name" && info.cpu_model.empty()) info.cpu_model = value;
        if (key == "cpu MHz") info.cpu_speed_mhz = std::strtod(std::string(value).c_str(), nullptr);
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
    try {
        read_cpuinfo(read_file("/proc/cpuinfo"), info);
    } catch (const Error&) {
        // Without it the report says less of the processor, nothing else.
    }
    info.cpu_type = cpu_type_timer;
    info.cpu_type_name = find_cpu_type(cpu_type_timer)->name;
    return info;
}

void raise_file_limit() noexcept {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace op::collect
