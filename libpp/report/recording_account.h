// SPDX-License-Identifier: GPL-2.0-or-later
// What the numbers of a report are worth: the account of the recording behind it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "libop/session/ledger.h"
#include "libop/session/recorder_cpu.h"
#include "libop/session/session_info.h"

namespace op::pp {

/// The account of all sessions of a report that have one, whichever of their samples it selects.
struct RecordingAccount {
    Ledger ledger;
    uint64_t stacks = 0, complete_stacks = 0;  ///< samples with a call stack
    RecorderCpu recorder_cpu;
    /// The processor time that was sampled, ns; nothing if it is not known, as the event is no clock.
    std::optional<uint64_t> sampled_time;

    /// What the recorder's processor time is a share of: the time that was sampled, or, if that is not known
    /// or less than a tenth of it, as on an idle machine, the time that elapsed on one CPU; ns.
    uint64_t whole_time() const {
        const uint64_t sampled = sampled_time.value_or(0);
        return sampled == 0 || sampled < recorder_cpu.elapsed / 10 ? recorder_cpu.elapsed : sampled;
    }
};

/// The account in a manifest.
RecordingAccount recording_account(const SessionInfo& info);

/// The account in a line: "recorded: 98 samples, 2 lost (the kernel's buffer was full); 97.0 % of the call
/// stacks are complete; the recorder used 0.12 s of CPU time, 1.2 % of the 10 s that was sampled". Has the
/// parts that are known; empty if none is.
std::string account_line(const RecordingAccount& account);

}  // namespace op::pp
