// SPDX-License-Identifier: GPL-2.0-or-later
// The parts of the sandbox, in the order in which they can be given up.
#include "utils/shared/sandbox.h"

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "libop/base/error.h"
#include "libop/base/text.h"
#include "utils/shared/call_filter.h"
#include "utils/shared/daily_note.h"
#include "utils/shared/inherited_descriptors.h"
#include "utils/shared/landlock.h"
#include "utils/shared/limits.h"

namespace op::tool {

namespace {

constexpr uint32_t capability_bit(unsigned number) {
    return uint32_t{1} << number;
}

/// The errno value if a system call that returns -1 on failure did, else 0.
int fault_of(long result) noexcept {
    return result == 0 ? 0 : errno;
}

/// Drops all capabilities that this process has but for those of `kept` (numbers below 32).
int keep_capabilities(uint32_t kept) noexcept {
    __user_cap_header_struct head{};
    head.version = _LINUX_CAPABILITY_VERSION_3;
    __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {};
    if (::syscall(SYS_capget, &head, sets) != 0) return errno;
    sets[0] = {sets[0].effective & kept, sets[0].permitted & kept, 0};
    sets[1] = {};
    return fault_of(::syscall(SYS_capset, &head, sets));
}

uint32_t capabilities_for(const SandboxNeeds& needs) noexcept {
    return capability_bit(CAP_DAC_READ_SEARCH) |
           (needs.writable_dirs.empty() ? 0 : capability_bit(CAP_DAC_OVERRIDE));
}

constexpr const char* incomplete_stamp = "sandbox-incomplete";

void note_missing_parts(const SandboxNeeds& needs, Diagnostics& notes) {
    const std::string missing = missing_sandbox_parts(needs);
    if (!missing.empty() && is_due(stamp_place(), incomplete_stamp, today()))
        notes.warn("the sandbox is incomplete on this machine: " + missing);
}

}  // namespace

/// Without Landlock the filter of calls keeps files from being opened for writing, but not some of them only.
std::string missing_sandbox_parts(const SandboxNeeds& needs) {
    std::vector<std::string> missing;
    const bool may_write = !needs.writable_dirs.empty(), has_filter = has_call_filter();
    if (landlock_abi() == 0 && (may_write || !has_filter))
        missing.emplace_back("without Landlock files can be written");
    if (!has_filter) missing.emplace_back("without seccomp programs can be started");
    return joined(missing);
}

void enter_sandbox(const SandboxNeeds& needs, Diagnostics& notes) {
    note_missing_parts(needs, notes);
    const auto report = [&notes](const char* part, int fault) {
        if (fault != 0) notes.warn(std::string("the sandbox lacks ") + part + ": " + errno_text(fault));
    };
    close_writable_descriptors(needs.descriptors);
    report("\"no new privileges\"", fault_of(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)));
    report("dropping capabilities", keep_capabilities(capabilities_for(needs)));
    report("a limit on core files", limit_core_files());
    report("a limit on memory", limit_memory());
    const bool may_write = !needs.writable_dirs.empty(), has_filter = has_call_filter();
    const int abi = landlock_abi();
    report("Landlock", restrict_files({.writable_dirs = needs.writable_dirs,
                                       .may_move_dirs = needs.moves_dirs,
                                       .may_execute = needs.runs_programs,
                                       .may_cut = has_filter},
                                      abi));
    if (!has_filter) return;
    // Each rule takes time at the start: what Landlock denies is left out.
    report("seccomp", forbid_calls({.may_execute = needs.runs_programs,
                                    .may_write = may_write || abi > 0,
                                    .may_set_times = needs.keeps_times}));
}

}  // namespace op::tool
