// SPDX-License-Identifier: GPL-2.0-or-later
// For how long CPUs were idle, by /proc/stat: whether a program that did not run waited for something else.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace op::collect {

/// The CPUs that a process may run on, of its /proc/PID/status (proc(5), Cpus_allowed_list): also some that
/// are offline or not there. None if the text has no such list.
std::optional<std::vector<uint32_t>> allowed_cpus(std::string_view status);

/// For how long those of the CPUs that are online have been idle since boot, together, in ns, of the text of
/// /proc/stat (proc(5): idle and iowait of each "cpuN", in ticks of which a second has `ticks`). None if the
/// text has none of the CPUs, or has no such numbers.
std::optional<uint64_t> idle_time(std::string_view proc_stat, std::span<const uint32_t> cpus, uint64_t ticks);

/// Begins with the object.
class IdleClock {
public:
    IdleClock();
    /// For how long the CPUs that this process may run on have been idle since then, together, in ns. None if
    /// that is not known, or time went back, as that of iowait may (proc(5)).
    std::optional<uint64_t> passed() const;

private:
    std::optional<uint64_t> began_;
};

}  // namespace op::collect
