// SPDX-License-Identifier: GPL-2.0-or-later
// Landlock by raw system calls: the C library has no functions for them. See landlock(7) and the kernel's
// Documentation/userspace-api/landlock.rst.
#include "utils/shared/landlock.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "libop/base/fd.h"

namespace op::tool {

namespace {

// Rights that are newer than the headers of Linux 6.1, as in <linux/landlock.h> of Linux 6.12.
constexpr uint64_t right_to_truncate = uint64_t{1} << 14;        // LANDLOCK_ACCESS_FS_TRUNCATE, ABI 3
constexpr uint64_t right_to_control_device = uint64_t{1} << 15;  // LANDLOCK_ACCESS_FS_IOCTL_DEV, ABI 5
constexpr uint64_t net_rights = 0b11;  // LANDLOCK_ACCESS_NET_BIND_TCP, LANDLOCK_ACCESS_NET_CONNECT_TCP, ABI 4
constexpr uint64_t all_scopes = 0b11;  // LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET, LANDLOCK_SCOPE_SIGNAL, ABI 6

/// struct landlock_ruleset_attr of ABI 6; older kernels know its first fields.
struct Ruleset {
    uint64_t files, net, scopes;
};

/// What is allowed everywhere and so not restricted at all: for a right that is restricted, the kernel goes
/// up from every file that is opened to the directory that has it, which took a quarter of a report's time.
constexpr uint64_t reading = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
/// What replacing files and making directories takes.
constexpr uint64_t writing = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG |
                             LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE | right_to_truncate;

/// All rights that the ABI knows: the bits are numbered in the order in which they came.
uint64_t known_rights(int abi) noexcept {
    uint64_t rights = LANDLOCK_ACCESS_FS_MAKE_SYM * 2 - 1;
    if (abi >= 2) rights |= LANDLOCK_ACCESS_FS_REFER;
    if (abi >= 3) rights |= right_to_truncate;
    if (abi >= 5) rights |= right_to_control_device;
    return rights;
}

size_t ruleset_size(int abi) noexcept {
    return abi >= 6 ? sizeof(Ruleset) : abi >= 4 ? sizeof(uint64_t) * 2 : sizeof(uint64_t);
}

/// `path`: a directory, or a file for rights to files. False with errno set if the rule is refused.
bool allow_below(const Fd& ruleset, const std::string& path, uint64_t rights) noexcept {
    const Fd top(::open(path.c_str(), O_PATH | O_CLOEXEC));
    if (!top) return false;
    landlock_path_beneath_attr rule{};
    rule.allowed_access = rights;
    rule.parent_fd = top.get();
    return ::syscall(SYS_landlock_add_rule, ruleset.get(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
}

}  // namespace

int landlock_abi() noexcept {
    const long abi =
        ::syscall(SYS_landlock_create_ruleset, nullptr, size_t{0}, LANDLOCK_CREATE_RULESET_VERSION);
    return static_cast<int>(std::max(abi, 0L));
}

int restrict_files(const FileRights& rights, int abi) noexcept {
    if (abi <= 0) return 0;
    // Where cutting off is restricted, it is looked up at every opening as well, also for reading. Where it
    // is not, opening with O_TRUNC takes the right to write only with O_WRONLY and O_RDWR.
    const uint64_t taken = known_rights(abi) & ~reading & ~(rights.may_cut ? right_to_truncate : 0);
    const Ruleset attributes{taken, net_rights, all_scopes};
    const Fd ruleset(static_cast<int>(
        ::syscall(SYS_landlock_create_ruleset, &attributes, ruleset_size(abi), uint32_t{0})));
    if (!ruleset) return errno;
    if (rights.may_execute && !allow_below(ruleset, "/", LANDLOCK_ACCESS_FS_EXECUTE)) return errno;
    const uint64_t moving = rights.may_move_dirs ? LANDLOCK_ACCESS_FS_REMOVE_DIR : 0;
    // Where a rule is refused nothing can be written, which the writer then reports.
    for (const std::string& dir : rights.writable_dirs)
        allow_below(ruleset, dir, (writing | moving) & taken);
    if (rights.may_execute) allow_below(ruleset, "/dev/null", LANDLOCK_ACCESS_FS_WRITE_FILE);
    return ::syscall(SYS_landlock_restrict_self, ruleset.get(), uint32_t{0}) == 0 ? 0 : errno;
}

}  // namespace op::tool
