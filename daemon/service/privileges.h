// SPDX-License-Identifier: GPL-2.0-or-later
// Giving up what the daemon needs only to open things: the user it becomes, the capabilities it keeps, the
// session directory it takes along. See capabilities(7).
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace op::collect {

/// The user that the daemon becomes by default, if that user exists.
inline constexpr const char* daemon_user = "oprofile";

/// A user of this system.
struct User {
    std::string name;
    uid_t uid = 0;
    gid_t gid = 0;
};

/// The user of that name in /etc/passwd, or none. (System users live there; other user databases would have
/// to be loaded into a privileged process.)
std::optional<User> find_user(const std::string& name);

/// Gives session directory `path` and what sample writers made in it to `user`, as far as it is root's, also
/// if the directory is that user's already:
/// directories, and files with one name only, so that a planted link gives nothing away. Throws a usage
/// error, naming the remedy, if the directory holds other things than a session or others may write to it, so
/// that it is not this daemon's to give; a system error.
void hand_over_session(const std::string& path, const User& user);

/// Becomes `user` (null: stays who it is) and gives up all capabilities but those for looking at other users'
/// processes, images and kernel addresses; with `own_files_only` false also keeps the one for writing to
/// other users' directories. Nothing executed later gains any. For a process without capabilities this does
/// nothing to harm. Throws a system error if it could not become that user.
void drop_privileges(const User* user, bool own_files_only);

}  // namespace op::collect
