// SPDX-License-Identifier: GPL-2.0-or-later
// Users, capabilities and ownership over plain system calls.
#include "daemon/service/privileges.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string_view>

#include "libop/base/directory.h"
#include "libop/base/error.h"
#include "libop/base/fd.h"
#include "libop/base/text.h"

namespace op::collect {
namespace {

constexpr uint64_t bit(int capability) {
    return uint64_t{1} << capability;
}

/// In headers since Linux 5.9; the kernels before know no such bit, and nobody has it.
constexpr int checkpoint_restore = 40;

/// Other users' maps; images in private directories; addresses in /proc/kallsyms; images without a name,
/// through map_files.
constexpr uint64_t kept_capabilities =
    bit(CAP_SYS_PTRACE) | bit(CAP_DAC_READ_SEARCH) | bit(CAP_SYSLOG) | bit(checkpoint_restore);

/// Names that a session directory may hold, of this project's and the classic programs.
constexpr std::array<std::string_view, 9> session_names{
    "samples", "lock", "abi", "jitdump", "opd_pipe", "complete_dump", "tmp", "opdev", "opnotedev"};
constexpr int deepest = 100;

struct CapabilitySets {
    __user_cap_data_struct low{}, high{};
};

bool read_capabilities(CapabilitySets& sets) noexcept {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    return ::syscall(SYS_capget, &header, &sets) == 0;
}

/// Leaves of the permitted capabilities those in `kept`, effective too; none inheritable.
void limit_capabilities(uint64_t kept) {
    CapabilitySets sets;
    if (!read_capabilities(sets)) throw_system("cannot read the capabilities");
    const auto narrow = [](__user_cap_data_struct& part, uint32_t mask) {
        part.permitted &= mask;
        part.effective = part.permitted;
        part.inheritable = 0;
    };
    narrow(sets.low, static_cast<uint32_t>(kept));
    narrow(sets.high, static_cast<uint32_t>(kept >> 32));
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    if (::syscall(SYS_capset, &header, &sets) != 0) throw_system("cannot give up capabilities");
}

void limit_bounding_set(uint64_t kept) noexcept {
    ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    for (int capability = 0; capability < 64; ++capability)
        if (!(kept & bit(capability))) ::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
}

void become(const User& user) {
    ::prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0);
    if (::setgroups(1, &user.gid) != 0 || ::setresgid(user.gid, user.gid, user.gid) != 0 ||
        ::setresuid(user.uid, user.uid, user.uid) != 0)
        throw_system("cannot become user " + printable(user.name));
}

struct stat status_of(const Fd& file, const std::string& label) {
    struct stat st {};
    if (::fstat(file.get(), &st) != 0) throw_system("cannot look at " + label);
    return st;
}

void give(const Fd& file, const User& user, const std::string& label) {
    const struct stat st = status_of(file, label);
    const bool ours = st.st_uid == 0 && (S_ISDIR(st.st_mode) || (S_ISREG(st.st_mode) && st.st_nlink == 1));
    if (ours && ::fchown(file.get(), user.uid, user.gid) != 0)
        throw_system("cannot give " + label + " to user " + printable(user.name));
}

bool is_session_name(const std::string& name) {
    return std::ranges::find(session_names, name) != session_names.end();
}

/// Gives a directory and what is in it; of the topmost one only what a session has. Contents first: what is
/// not root's own is not gone into.
void give_tree(const Fd& dir, const User& user, const std::string& label, int depth) {
    const uid_t owner = status_of(dir, label).st_uid;
    if (depth > deepest || (owner != 0 && owner != user.uid)) return;
    for (const DirectoryEntry& entry : read_directory(open_at(dir, ".", O_RDONLY | O_DIRECTORY), label)) {
        if (!entry.is_directory && !entry.is_regular) continue;
        if (depth == 0 && !is_session_name(entry.name)) continue;
        const Fd one = open_at(dir, entry.name.c_str(), O_RDONLY | O_NONBLOCK);
        if (one && entry.is_directory) give_tree(one, user, label, depth + 1);
        if (one && entry.is_regular) give(one, user, label);
    }
    give(dir, user, label);
}

[[noreturn]] void refuse(const std::string& path, const std::string& why, const User& user) {
    throw_usage("session directory " + printable(path) + " " + why + ", so it is not given to user " +
                printable(user.name) + "; give it yourself, choose an empty one, or use --user=root");
}

void check_may_be_given(const Fd& dir, const struct stat& st, const std::string& path, const User& user) {
    if (st.st_uid != 0) refuse(path, "belongs to another user", user);
    if (st.st_mode & (S_IWGRP | S_IWOTH)) refuse(path, "may be written to by others", user);
    for (const DirectoryEntry& entry : read_directory(open_at(dir, ".", O_RDONLY | O_DIRECTORY), path))
        if (!is_session_name(entry.name)) refuse(path, "holds other things than a session", user);
}

}  // namespace

std::optional<User> find_user(const std::string& name) {
    const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen("/etc/passwd", "re"), &std::fclose);
    if (!file) return std::nullopt;
    while (const passwd* row = ::fgetpwent(file.get()))
        if (row->pw_name && row->pw_name == name) return User{name, row->pw_uid, row->pw_gid};
    return std::nullopt;
}

void hand_over_session(const std::string& path, const User& user) {
    const Fd dir(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!dir) throw_system("cannot open session directory " + printable(path));
    const struct stat st = status_of(dir, path);
    // One that is the user's already may have something of root's in it, made meanwhile.
    if (st.st_uid != user.uid) check_may_be_given(dir, st, path, user);
    give_tree(dir, user, printable(path), 0);
}

void drop_privileges(const User* user, bool own_files_only) {
    const uint64_t kept = kept_capabilities | (own_files_only ? 0 : bit(CAP_DAC_OVERRIDE));
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    limit_bounding_set(kept);
    if (user && user->uid != ::geteuid()) become(*user);
    limit_capabilities(kept);
}

}  // namespace op::collect
