// SPDX-License-Identifier: GPL-2.0-or-later
// A running process to be profiled: which one is meant, and how to see that it ended.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "libop/base/fd.h"

namespace op::collect {

/// The process that a thread belongs to; a process's number stands for itself. Throws a system error if there
/// is none of that number.
pid_t process_of(pid_t number);

/// True for a process or thread that is gone or on its way out: what the kernel refuses of it says nothing
/// about permissions.
bool is_ending(pid_t task);

/// When a process or thread began, in clock ticks since boot: what tells it from a later one of its number.
/// None if that cannot be told.
std::optional<uint64_t> start_of(pid_t task);

/// The processes that a process, or one that it has started, has started so far and that run; by number.
/// Empty if it is gone or the kernel does not tell (CONFIG_PROC_CHILDREN).
std::vector<pid_t> descendants_of(pid_t pid);

/// Calls `open` with the threads of these processes, and again while there are threads that it was not called
/// with: one that begins meanwhile inherits only those descriptors that its parent has by then. Each call is
/// to replace what the one before opened. False if new threads kept coming.
bool open_for_threads(const std::vector<pid_t>& processes,
                      const std::function<void(const std::vector<pid_t>& threads)>& open);

/// A descriptor that is readable once the process has ended (a pidfd): opened before sampling begins, so that
/// an end is never missed. Throws a system error if the process has ended already.
Fd watch_process(pid_t pid);

}  // namespace op::collect
