// SPDX-License-Identifier: GPL-2.0-or-later
// The account of a recording in words.
#include "libpp/report/recording_account.h"

#include <limits>
#include <string_view>
#include <vector>

#include "libop/base/text.h"
#include "libop/events/event_table.h"
#include "libop/session/session_statistics.h"
#include "libpp/profile/percent.h"
#include "libpp/report/stack_shares.h"

namespace op::pp {

namespace {

/// The time of all samples that the only event took.
std::optional<uint64_t> sampled_time(const SessionInfo& info) {
    if (info.events.size() != 1 || !is_clock(info.events.front().name)) return std::nullopt;
    const uint64_t count = info.events.front().count, samples = info.ledger.sampled();
    if (count == 0 || samples == 0 || samples > std::numeric_limits<uint64_t>::max() / count)
        return std::nullopt;
    return samples * count;
}

/// Without a share of a time in which the recorder has hardly more than begun.
std::string cost_text(const RecordingAccount& account) {
    constexpr uint64_t least_ns = 100'000'000;
    const uint64_t whole = account.whole_time();
    std::string text = "the recorder used " + seconds_text(account.recorder_cpu.used) + " of CPU time";
    if (whole < least_ns) return text;
    const std::string share = percent_text(percent_of(account.recorder_cpu.used, whole));
    if (account.sampled_time == whole)
        return text + ", " + share + " of the " + seconds_text(whole) + " that was sampled";
    return text + " in " + seconds_text(whole) + ", " + share + " of one CPU";
}

std::string stacks_text(const RecordingAccount& account) {
    if (account.complete_stacks == 0) return "no call stack is complete";
    if (account.complete_stacks == account.stacks) return "all call stacks are complete";
    return percent_text(percent_of(account.complete_stacks, account.stacks)) +
           " of the call stacks are complete";
}

}  // namespace

RecordingAccount recording_account(const SessionInfo& info) {
    return {info.ledger, info.stacks.stored(), info.stacks.complete, info.recorder_cpu, sampled_time(info)};
}

std::string account_line(const RecordingAccount& account) {
    std::vector<std::string> parts;
    if (account.ledger.sampled() > 0)
        parts.push_back("recorded: " + samples_text(account.ledger) +
                        (account.ledger.lost() == 0 ? ", none lost" : ""));
    if (account.stacks > 0) parts.push_back(stacks_text(account));
    if (account.recorder_cpu.is_measured()) parts.push_back(cost_text(account));
    return joined(parts, "; ");
}

}  // namespace op::pp
