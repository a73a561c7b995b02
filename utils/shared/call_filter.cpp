// SPDX-License-Identifier: GPL-2.0-or-later
// A list of what is denied of the calls known here, and an end of that list: doc/adr/0015-the-sandbox.md has
// the reason.
#include "utils/shared/call_filter.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <type_traits>

#include "libop/base/sanitized.h"

namespace op::tool {

namespace {

using Filter = std::unique_ptr<std::remove_pointer_t<scmp_filter_ctx>, decltype(&seccomp_release)>;

/// Calls that fail whatever their arguments are. An architecture that lacks one is no error. What only root
/// may call, by capabilities that are gone (the clock, swapping, quotas, ports), is left out as far as it is
/// no way out: each rule takes time at every start.
constexpr const char* denied[] = {
    // The network, and sockets of this machine. What is a socket already, such as the standard output, is
    // read and written as a file.
    "socket", "socketpair", "socketcall", "connect", "bind", "listen", "accept", "accept4", "sendto",
    "sendmsg", "sendmmsg", "recvmsg", "recvmmsg",
    // Other processes. Those of one user may limit, slow down and move each other.
    "process_vm_readv", "process_vm_writev", "process_madvise", "process_mrelease", "kcmp", "pidfd_open",
    "pidfd_getfd", "pidfd_send_signal", "tkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "setpriority",
    "ioprio_set", "sched_setaffinity", "sched_setattr", "sched_setparam", "sched_setscheduler",
    "migrate_pages", "move_pages", "ipc", "shmget", "shmat", "shmctl", "msgget", "msgsnd", "msgrcv", "msgctl",
    "semget", "semop", "semtimedop", "semctl", "mq_open", "mq_unlink",
    // The kernel.
    "kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module", "bpf", "perf_event_open",
    "userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register", "keyctl", "add_key",
    "request_key",
    // Namespaces and mounts.
    "unshare", "setns", "mount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree", "fsopen",
    "fsconfig", "fsmount", "mount_setattr", "name_to_handle_at", "open_by_handle_at",
    // What Landlock has no right for: the modes, owners, attributes and locks of files. truncate: before
    // ABI 3.
    "chmod", "fchmod", "fchmodat", "chown", "fchown", "lchown", "fchownat", "setxattr", "lsetxattr",
    "fsetxattr", "removexattr", "lremovexattr", "fremovexattr", "utime", "utimes", "futimesat", "flock",
    "truncate", "truncate64"};

/// Making, renaming and removing files, for kernels without Landlock. openat2's flags are in memory.
constexpr const char* writing[] = {"creat",    "mkdir",     "mkdirat", "mknod",    "mknodat",
                                   "symlink",  "symlinkat", "link",    "linkat",   "unlink",
                                   "unlinkat", "rmdir",     "rename",  "renameat", "renameat2"};

/// Flags of open() that change files or open them for writing: each is a bit.
constexpr unsigned writing_flags[] = {O_WRONLY, O_RDWR, O_CREAT, O_TRUNC};

/// Commands of fcntl() that have signals sent to other processes, or make others wait.
constexpr unsigned denied_fcntl[] = {
    F_SETOWN, F_SETOWN_EX, F_SETSIG, F_SETLEASE, F_NOTIFY, F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW,
#if __SIZEOF_LONG__ == 4
    6,        7,  // F_SETLK and F_SETLKW without large files, which <fcntl.h> hides here
#endif
};

/// Requests to a terminal that type into it, take it from others or change its driver.
constexpr unsigned denied_terminal[] = {TIOCSTI,   TIOCLINUX, TIOCCONS, TIOCSCTTY,
                                        TIOCSPGRP, TIOCEXCL,  TIOCSETD};

/// The second byte of an ioctl's request is its kind; that of terminals is 'T', on POWER 't' as well, one bit
/// apart. A request of another kind differs in another bit.
constexpr unsigned kind_shift = 8, kind_bits = 0xff, terminal_kind = 'T', either_case = 'T' ^ 't';

/// The newest call that was known here, set_mempolicy_home_node of Linux 5.17. Since clone3 calls have one
/// number on all architectures, but for what these begin with.
constexpr uint32_t newest_call = SYS_clone3 + 15;

/// The flags of clone(2) come second there.
#if defined(__s390__) || defined(__CRIS__)
constexpr unsigned clone_flags = 1;
#else
constexpr unsigned clone_flags = 0;
#endif

/// New programs and processes.
constexpr const char* starting[] = {"execve", "execveat", "fork", "vfork"};

/// Namespaces (clone(2)).
constexpr unsigned namespaces =
    CLONE_NEWCGROUP | CLONE_NEWIPC | CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWUSER | CLONE_NEWUTS;
/// Only the low half of ioctl's request counts.
constexpr uint64_t low_half = 0xffffffff;

/// Adds rules until one is refused.
class Rules {
public:
    explicit Rules(scmp_filter_ctx filter) : filter_(filter) {}

    /// The call fails with that errno value if the arguments match.
    template <class... Matches>
    void deny(const char* call, int error, Matches... matches) {
        const int number = seccomp_syscall_resolve_name(call);
        // Unknown to the library, newer or older; or a part of socketcall or ipc, which are denied as a
        // whole.
        if (fault_ != 0 || number < 0) return;
        fault_ = -seccomp_rule_add(filter_, SCMP_ACT_ERRNO(static_cast<uint32_t>(error)), number,
                                   sizeof...(matches), matches...);
        if (fault_ == EDOM) fault_ = 0;  // another architecture's
    }

    int fault() const noexcept { return fault_; }

private:
    scmp_filter_ctx filter_;
    int fault_ = 0;
};

/// Processes are made by clone alone, threads too. clone3's flags are in memory, which no filter sees.
void deny_starting(Rules& rules, bool may_execute) {
    rules.deny("clone3", ENOSYS);
    // The leak checker of the address sanitizer looks at this process from another one, when it ends.
    if (!is_sanitized) rules.deny("ptrace", EPERM);
    if (may_execute || is_sanitized)
        for (unsigned flag = 1; flag != 0; flag <<= 1)
            if (namespaces & flag)
                rules.deny("clone", EPERM, SCMP_CMP(clone_flags, SCMP_CMP_MASKED_EQ, flag, flag));
    if (may_execute) return;
    for (const char* const call : starting)
        rules.deny(call, EPERM);
    // A thread gets no namespace of its own (clone(2)) but by capabilities that are gone.
    if (!is_sanitized) rules.deny("clone", EPERM, SCMP_CMP(clone_flags, SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
    const auto self = static_cast<uint64_t>(::getpid());
    rules.deny("kill", EPERM, SCMP_A0(SCMP_CMP_NE, self, 0));
    rules.deny("tgkill", EPERM, SCMP_A0(SCMP_CMP_NE, self, 0));
}

/// Requests to devices and file systems, but for those to terminals that only concern this process.
void deny_requests(Rules& rules) {
    for (unsigned bit = 1; bit < kind_bits; bit <<= 1)
        if (bit != either_case)
            rules.deny("ioctl", EPERM,
                       SCMP_A1(SCMP_CMP_MASKED_EQ, uint64_t{bit} << kind_shift,
                               uint64_t{~terminal_kind & bit} << kind_shift));
    for (const uint64_t request : denied_terminal)
        rules.deny("ioctl", EPERM, SCMP_A1(SCMP_CMP_MASKED_EQ, low_half, request));
    for (const char* const call : {"fcntl", "fcntl64"})
        for (const uint64_t command : denied_fcntl)
            rules.deny(call, EPERM, SCMP_A1(SCMP_CMP_MASKED_EQ, low_half, command));
    rules.deny("prlimit64", EPERM, SCMP_A0(SCMP_CMP_NE, 0, 0));  // 0: this process
}

void deny_writing(Rules& rules, const CallRights& rights) {
    rules.deny("openat2", ENOSYS);
    for (const char* const call : {"utimensat", "utimensat_time64"})
        if (rights.may_set_times)
            rules.deny(call, EPERM, SCMP_A1(SCMP_CMP_NE, 0, 0));  // futimens() has no path
        else
            rules.deny(call, EPERM);
    if (rights.may_write) {
        // O_TRUNC cuts off what is opened for reading, and what is opened for neither reading nor writing
        // (access mode 3, open(2)), where Landlock checks nothing.
        constexpr uint64_t cut = O_TRUNC, how = O_TRUNC | O_ACCMODE, neither = O_ACCMODE;
        rules.deny("open", EACCES, SCMP_A1(SCMP_CMP_MASKED_EQ, how, cut));
        rules.deny("openat", EACCES, SCMP_A2(SCMP_CMP_MASKED_EQ, how, cut));
        rules.deny("open", EACCES, SCMP_A1(SCMP_CMP_MASKED_EQ, neither, neither));
        rules.deny("openat", EACCES, SCMP_A2(SCMP_CMP_MASKED_EQ, neither, neither));
        return;
    }
    for (const char* const call : writing)
        rules.deny(call, EACCES);
    for (const uint64_t flag : writing_flags) {
        rules.deny("open", EACCES, SCMP_A1(SCMP_CMP_MASKED_EQ, flag, flag));
        rules.deny("openat", EACCES, SCMP_A2(SCMP_CMP_MASKED_EQ, flag, flag));
    }
}

/// Calls that are newer than newest_call are as on a kernel that lacks them. libseccomp has no ranges.
int forbid_newer_calls() noexcept {
    sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, newest_call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog program{std::size(steps), steps};
    return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0U, &program) == 0 ? 0 : errno;
}

}  // namespace

bool has_call_filter() noexcept {
    const uint32_t action = SECCOMP_RET_ERRNO;
    return ::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0U, &action) == 0;
}

int forbid_calls(const CallRights& rights) noexcept {
    const Filter filter(seccomp_init(SCMP_ACT_ALLOW), seccomp_release);
    if (!filter) return ENOMEM;
    // "No new privileges" is set by the caller, who may not be allowed to set it again.
    seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_NNP, 0);
    // Sorted as a tree: the kernel tries each call on the filter when it is loaded.
    seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2);
    Rules rules(filter.get());
    for (const char* const call : denied)
        rules.deny(call, EPERM);
    deny_requests(rules);
    deny_writing(rules, rights);
    deny_starting(rules, rights.may_execute);
    if (rules.fault() != 0) return rules.fault();
    if (const int fault = -seccomp_load(filter.get())) return fault;
    return forbid_newer_calls();
}

}  // namespace op::tool
