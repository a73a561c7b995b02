// SPDX-License-Identifier: GPL-2.0-or-later
// Owners, modes and groups over plain system calls.
#include "libop/base/access_policy.h"

#include <grp.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>

#include "libop/base/error.h"
#include "libop/base/text.h"

namespace op {

namespace {

/// In /etc/group: other databases would have to be loaded into a privileged process.
std::optional<gid_t> find_group(const std::string& name) {
    const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen("/etc/group", "re"), &std::fclose);
    if (!file) return std::nullopt;
    while (const group* row = ::fgetgrent(file.get()))
        if (row->gr_name && row->gr_name == name) return row->gr_gid;
    return std::nullopt;
}

bool has_capabilities() noexcept {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    std::array<__user_cap_data_struct, 2> sets{};
    return ::syscall(SYS_capget, &header, sets.data()) == 0 && (sets[0].effective | sets[1].effective) != 0;
}

/// See acl(5). False if one is left.
bool remove_access_lists(const Fd& made) noexcept {
    const auto is_gone = [&made](const char* list) {
        return ::fremovexattr(made.get(), list) == 0 || errno == ENODATA || errno == EOPNOTSUPP;
    };
    const bool has_no_default = is_gone("system.posix_acl_default") || errno == EACCES;  // a file
    return is_gone("system.posix_acl_access") && has_no_default;
}

/// The umask can only be read by setting it.
mode_t current_umask() noexcept {
    const mode_t mask = ::umask(077);
    ::umask(mask);
    return mask;
}

}  // namespace

bool is_trusted_owner(uid_t owner) noexcept {
    return owner == 0 || owner == ::geteuid();
}

void check_trusted(const struct stat& st, const std::string& label) {
    if (!is_trusted_owner(st.st_uid))
        throw_input(
            printable(label) + " belongs to user " + std::to_string(st.st_uid) +
            ", so what it holds is not used; give it to root, or, if it is of a session, name another "
            "directory, as --session-dir=DIR");
    if (st.st_mode & (S_IWGRP | S_IWOTH))
        throw_input(printable(label) +
                    " can be written by others, so what it holds is not used; chmod go-w it");
}

void AccessPolicy::check(const struct stat& st, const std::string& label) const {
    if (is_strict) check_trusted(st, label);
}

void AccessPolicy::check(const Fd& file, const std::string& label) const {
    struct stat st {};
    if (::fstat(file.get(), &st) != 0) throw_system("cannot stat " + printable(label));
    check(st, label);
}

void AccessPolicy::finish(const Fd& made) const noexcept {
    struct stat st {};
    if (!is_strict || ::fstat(made.get(), &st) != 0) return;
    const mode_t mode = S_ISDIR(st.st_mode) ? directory_mode : file_mode;
    const bool is_groups =
        !group || st.st_gid == *group || ::fchown(made.get(), static_cast<uid_t>(-1), *group) == 0;
    const bool is_granted = remove_access_lists(made) && is_groups;
    [[maybe_unused]] const int ignored = ::fchmod(made.get(), is_granted ? mode : mode & S_IRWXU);
}

AccessPolicy own_access_policy() {
    AccessPolicy policy;
    const bool is_root = ::geteuid() == 0;
    // Of a process that acts as another user for a while, the real user is still root.
    if (!is_root && ::getuid() != 0 && !has_capabilities()) return policy;
    policy.is_strict = true;
    const mode_t mask = current_umask();
    policy.directory_mode = 0750 & ~mask;
    policy.file_mode = 0640 & ~mask;
    policy.group = is_root ? find_group(readers_group).value_or(0) : ::getegid();
    return policy;
}

}  // namespace op
