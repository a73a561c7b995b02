// SPDX-License-Identifier: GPL-2.0-or-later
// Restricts which files this process may use. The one door to <linux/landlock.h>.
#pragma once

#include <string>
#include <vector>

namespace op::tool {

/// What a process may still do with files.
struct FileRights {
    std::vector<std::string> writable_dirs =
        {};                      ///< existing directories; below them it may make and change files
    bool may_move_dirs = false;  ///< may also rename and remove directories there, each within its own
    bool may_execute = false;    ///< may start programs
    bool may_cut = false;        ///< may cut files off without WRITE_FILE: forbid_calls() prevents it
};

/// The version of the kernel's Landlock interface; 0 if the kernel has none or it is denied here.
int landlock_abi() noexcept;

/// From now on this process and its children may read all files and directories that they could read before,
/// but for those that /proc leads to in other processes, and use the rights given; as far as the ABI goes (0
/// = nothing is restricted): nothing is truncated (3), no TCP port is used (4), no device is controlled that
/// is opened from now on (5), and other processes get no signal and no connection to abstract Unix sockets
/// (6). Files that are open keep their rights. Needs "no new privileges". Returns the errno value of what
/// failed, 0 if nothing did.
int restrict_files(const FileRights& rights, int abi) noexcept;

}  // namespace op::tool
