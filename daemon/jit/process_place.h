// SPDX-License-Identifier: GPL-2.0-or-later
// Where a process has the files it writes about its code: its own root and process number. See proc(5),
// pid_namespaces(7), openat2(2).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "daemon/jit/reader_messages.h"
#include "libop/base/fd.h"

namespace op::collect {

/// The numbers of a process in the texts of /proc/PID/status and /proc/PID/stat.
struct ProcessNumbers {
    uint32_t pid = 0;    ///< in its own pid namespace
    uid_t uid = 0;       ///< that it opens files as
    gid_t gid = 0;       ///< the same
    uint64_t start = 0;  ///< clock ticks after the machine's
};
/// None if one of the numbers is missing.
std::optional<ProcessNumbers> parse_process(std::string_view status, std::string_view stat);

/// Where the maps of one process are.
struct ProcessPlace {
    Fd root;  ///< of the process, or this one's if it is gone
    uint32_t tgid = 0;
    uint32_t pid = 0;  ///< in its own pid namespace
    uid_t uid = 0;
    gid_t gid = 0;
    int64_t start = 0;        ///< when it began, ns since the epoch
    int64_t clock_ahead = 0;  ///< its CLOCK_MONOTONIC is so many ns ahead of sample times
};
/// To be called with the rights to look into the process. A process that is gone is taken for one of this
/// user.
ProcessPlace find_place(const WatchRequest& request);

/// Becomes the user of the process for good, without a capability. False if it is another one and this
/// process may not.
bool become_owner(const ProcessPlace& place) noexcept;

/// A path within a process's root, opened with O_PATH: no symbolic link leads out of it. Empty with errno set
/// on failure.
Fd open_in_root(const Fd& root, const char* path, int flags) noexcept;

/// A map that was found.
struct FoundMap {
    MapState state = MapState::absent;
    Fd file;                  ///< if the state is `read`
    struct stat status = {};  ///< of the file when it was opened
};
/// Opens the map in `directory`: of the process's own number, else of the number it has here.
FoundMap find_map(const Fd& directory, const ProcessPlace& place);

/// True if the path is a jitdump's, ".../jit-N.dump".
bool is_dump_path(std::string_view path);
/// Opens the jitdump at an absolute path of the process's, if it is that of its own number.
FoundMap find_dump(const std::string& path, const ProcessPlace& place);

}  // namespace op::collect
