// SPDX-License-Identifier: GPL-2.0-or-later
// A list of what is denied, not of what is allowed: doc/adr/0015-the-cage.md has the reason.
#include "utils/shared/call_filter.h"

#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "utils/shared/sanitized.h"

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
    // Other processes.
    "process_vm_readv", "process_vm_writev", "process_madvise", "kcmp", "pidfd_open", "pidfd_getfd",
    "pidfd_send_signal", "tkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "ipc", "shmget", "shmat", "msgget",
    "msgsnd", "semget", "semop", "mq_open",
    // The kernel.
    "kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module", "bpf", "perf_event_open",
    "userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register", "keyctl", "add_key",
    "request_key",
    // Namespaces and mounts.
    "unshare", "setns", "mount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree", "fsopen",
    "fsconfig", "fsmount", "mount_setattr", "name_to_handle_at", "open_by_handle_at",
    // What Landlock has no right for: the modes, owners and attributes of files. truncate: before ABI 3.
    "chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown", "fchownat", "setxattr",
    "lsetxattr", "fsetxattr", "setxattrat", "removexattr", "lremovexattr", "fremovexattr", "truncate",
    "truncate64"};

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
        if (fault_ != 0 || number == __NR_SCMP_ERROR) return;  // unknown to the library: newer or older
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
            if (namespaces & flag) rules.deny("clone", EPERM, SCMP_A0(SCMP_CMP_MASKED_EQ, flag, flag));
    if (may_execute) return;
    for (const char* const call : starting)
        rules.deny(call, EPERM);
    // A thread gets no namespace of its own (clone(2)) but by capabilities that are gone.
    if (!is_sanitized) rules.deny("clone", EPERM, SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
    const auto self = static_cast<uint64_t>(::getpid());
    rules.deny("kill", EPERM, SCMP_A0(SCMP_CMP_NE, self, 0));
    rules.deny("tgkill", EPERM, SCMP_A0(SCMP_CMP_NE, self, 0));
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
    Rules rules(filter.get());
    for (const char* const call : denied)
        rules.deny(call, EPERM);
    for (const uint64_t request : {uint64_t{TIOCSTI}, uint64_t{TIOCLINUX}})
        rules.deny("ioctl", EPERM, SCMP_A1(SCMP_CMP_MASKED_EQ, low_half, request));
    deny_starting(rules, rights.may_execute);
    return rules.fault() != 0 ? rules.fault() : -seccomp_load(filter.get());
}

}  // namespace op::tool
