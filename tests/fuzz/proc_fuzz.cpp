// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target: any text may stand in /proc/PID/maps, status, stat and comm, /proc/modules, /proc/kallsyms
// and /proc/cpuinfo, and as an entry in /proc/PID/task.
#include <cstdint>
#include <cstdlib>

#include "daemon/source/attach.h"
#include "daemon/source/kernel_map.h"
#include "daemon/source/machine.h"
#include "daemon/source/proc_scan.h"
#include "libop/base/text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto inode_of = [](const std::string& path) { return std::optional<uint64_t>(path.size() % 4); };
    for (const auto& line : op::collect::parse_maps(text)) {
        if (line.start >= line.end) std::abort();
        if (op::collect::mapped_path(line, inode_of).size() > line.path.size()) std::abort();
    }
    for (const auto& module : op::collect::parse_modules(text))
        if (module.name.empty() || module.length == 0) std::abort();
    if (const auto tgid = op::collect::parse_tgid(text); tgid && *tgid <= 0) std::abort();
    for (int field = 3; field < 53; ++field)
        op::collect::parse_stat_field(text, field);
    if (const auto task = op::collect::parse_task_name(text); task && (*task == 0 || *task > INT32_MAX))
        std::abort();
    const std::string name = op::collect::parse_comm(std::string(text));
    if (name.size() + 1 < text.size() || !text.starts_with(name)) std::abort();
    op::collect::KernelRangeScan scan;
    for (auto rest = text; !rest.empty() && scan.take(op::take_line(rest));) {
    }
    if (const auto range = scan.range(); range && range->start >= range->end) std::abort();
    op::SessionInfo info;
    op::collect::read_cpuinfo(text, info);
    return 0;
}
