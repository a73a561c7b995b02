// SPDX-License-Identifier: GPL-2.0-or-later
// Takes system calls away from this process. The one door to libseccomp.
#pragma once

namespace op::tool {

/// What a process may still call.
struct CallRights {
    bool may_execute = false;    ///< may start programs, which have the same filter
    bool may_write = false;      ///< may open files for writing, make, rename and remove them
    bool may_set_times = false;  ///< may set the times of files that are open, also for reading only
};

/// False if this kernel has no filters of system calls, or they are denied here.
bool has_call_filter() noexcept;

/// From now on calls of this process and its children fail that a parser has no use for: programs and
/// processes, the network, other processes' memory, signals, limits, priorities and message queues, modules,
/// mounts, namespaces, keys, io_uring, file modes, owners, locks and attributes, requests to devices but for
/// terminals, input to the terminal. They fail with EPERM; opening, making and removing files with EACCES;
/// and with ENOSYS what is newer than Linux 6.1 or has an older call in its place, which the C library then
/// uses. Whatever the rights, no file is emptied by opening it for reading, nor opened with access mode 3.
/// Needs "no new privileges". Returns the errno value of what failed, 0 if nothing did.
int forbid_calls(const CallRights& rights) noexcept;

}  // namespace op::tool
