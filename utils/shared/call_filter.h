// SPDX-License-Identifier: GPL-2.0-or-later
// Takes system calls away from this process. The one door to libseccomp.
#pragma once

namespace op::tool {

/// What a process may still call.
struct CallRights {
    bool may_execute = false;  ///< may start programs, which have the same filter
};

/// False if this kernel has no filters of system calls, or they are denied here.
bool has_call_filter() noexcept;

/// From now on calls of this process and its children fail that a parser has no use for: programs and
/// processes, the network, other processes' memory, signals and message queues, modules, mounts, namespaces,
/// keys, io_uring, file modes and owners, input to the terminal. They fail with EPERM, or with ENOSYS where
/// the C library then uses an older call. Needs "no new privileges". Returns the errno value of what failed,
/// 0 if nothing did.
int forbid_calls(const CallRights& rights) noexcept;

}  // namespace op::tool
