// SPDX-License-Identifier: GPL-2.0-or-later
// A running process to be profiled: its number, its descendants and threads, and its end.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "libop/base/fd.h"

namespace op::collect {

/// A number in the text of /proc/NUMBER/stat by its field in proc(5), from the third on: behind the name, the
/// second, which may hold anything. None if there is no number.
std::optional<uint64_t> parse_stat_field(std::string_view text, int number);
/// The process in the text of /proc/NUMBER/status; none if it is missing or not a number of a process.
std::optional<pid_t> parse_tgid(std::string_view status);

/// The process that a thread belongs to; for the number of a process that number. Throws a system error if
/// there is no such process or thread.
pid_t process_of(pid_t number);

/// True for a process or thread that has ended or is exiting. An error that the kernel returns for it is then
/// not one of permissions.
bool is_ending(pid_t task);

/// When a process or thread began, in clock ticks since boot, which distinguishes it from a later one of the
/// same number. None if that is unknown.
std::optional<uint64_t> start_of(pid_t task);

/// The processes and threads that were made since boot, of the whole machine (proc(5), /proc/stat); none if
/// that is unknown.
std::optional<uint64_t> tasks_since_boot();

/// The running children of a process, their children and so on, sorted by number. Empty if the process is
/// gone or the kernel does not list children (CONFIG_PROC_CHILDREN).
std::vector<pid_t> descendants_of(pid_t pid);

/// The running descendants of these processes, sorted, without the processes themselves. This process and its
/// own descendants are not among them.
std::vector<pid_t> other_descendants_of(std::span<const pid_t> processes);

/// True if this process may look into that one, as perf_event_open(2) asks for (ptrace(2), "Ptrace access
/// mode checking"), or it has ended.
bool may_look_into(pid_t process);

/// Calls `open` with the threads, sorted, of the processes that `processes` returns, and again as long as
/// there are threads that it was not called with: a thread that begins meanwhile inherits only the
/// descriptors that its parent has by then. Each call of `open` must replace what the previous call opened.
/// False if new threads kept coming.
bool open_for_threads(const std::function<std::vector<pid_t>()>& processes,
                      const std::function<void(const std::vector<pid_t>& threads)>& open);

/// A descriptor (a pidfd) that becomes readable when the process ends. To be opened before sampling begins,
/// so that the end is never missed. Throws a system error if the process has already ended.
Fd watch_process(pid_t pid);

}  // namespace op::collect
