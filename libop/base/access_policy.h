// SPDX-License-Identifier: GPL-2.0-or-later
// Whom a process trusts with files that it maps, follows or appends to, and who may read the files that it
// makes. doc/SECURITY.md has the reasons.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <optional>
#include <string>

#include "libop/base/fd.h"

namespace op {

/// The group whose members may read what privileged processes record, if there is such a group.
inline constexpr const char* readers_group = "oprofile";

/// How a process deals with files in directories that others may write to. By default as any program does.
struct AccessPolicy {
    /// Only what belongs to root or the effective user is used, and only if nobody else may write to it.
    bool is_strict = false;
    mode_t directory_mode = 0755, file_mode = 0644;  ///< of what is made, less the umask
    std::optional<gid_t> group;                      ///< of what is made; none = as the kernel chooses

    /// Throws an input error naming `label` and the remedy if a file or directory with this status is not to
    /// be used.
    void check(const struct stat& st, const std::string& label) const;
    /// The same for an open file or directory. Throws a system error if its status is not known.
    void check(const Fd& file, const std::string& label) const;
    /// Modes to make a directory or file with. They grant nothing to others if the policy is strict: the
    /// directory above may have a default access control list, which the kernel adds to what is made.
    mode_t first_directory_mode() const noexcept {
        return is_strict ? directory_mode & S_IRWXU : directory_mode;
    }
    mode_t first_file_mode() const noexcept { return is_strict ? file_mode & S_IRWXU : file_mode; }
    /// Gives what this process has just made so its mode and group, and takes its access control lists away.
    /// What cannot be given to the group, or keeps a list, stays without rights for others.
    void finish(const Fd& made) const noexcept;
};

/// The policy of this process as it is now: strict, with 0750 and 0640 less the umask, if it is root or has
/// capabilities.
/// Their group is readers_group or else root's for root, the effective one for others.
AccessPolicy own_access_policy();

/// True for root and the effective user.
bool is_trusted_owner(uid_t owner) noexcept;
/// Throws an input error naming `label` if the status is that of a file or directory which belongs to
/// somebody other than root and the effective user, or to which its group or others may write.
void check_trusted(const struct stat& st, const std::string& label);

}  // namespace op
