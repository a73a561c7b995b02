// SPDX-License-Identifier: GPL-2.0-or-later
// Notes on how a session was recorded.
#include "libpp/profile/session_notes.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "libop/base/counted.h"
#include "libop/base/text.h"
#include "libop/session/ledger.h"
#include "libop/session/session_lock.h"
#include "libop/session/session_statistics.h"

namespace op::pp {

namespace {

namespace fs = std::filesystem;

constexpr const char* lost_counters[] = {
    "lost_invalid_domain",
    "lost_kernel",
    "lost_samplefile",
    "lost_no_mapping",
    "lost_no_app_for_kernel_sample",
    "lost_no_app_for_user_sample",
    "lost_bt_no_mapping",
    "lost_invalid_hypervisor_addr",
    "lost_records_by_kernel",
};

/// The remedy for a loss; empty = no remedy. Samples that the user filtered out are not a loss.
std::string_view remedy(LossCause cause) {
    switch (cause) {
        case LossCause::kernel_buffer:
        case LossCause::saturated:
        case LossCause::nested:
            return "sample less often: use a higher count";
        case LossCause::no_mapping:
            return "their processes ended or changed before they were looked into, or only root may do that";
        case LossCause::kernel_address:
            return "profile as root, or set /proc/sys/kernel/kptr_restrict to 0";
        case LossCause::guest:
            return "profile inside the guest";
        case LossCause::sample_file:
            return "check who may write to the session directory";
        case LossCause::disk_full:
            return "make room on the session directory's file system";
        case LossCause::image_limit:
            return "begin a new session, and keep fewer things apart; see LIMITS in operf(1)";
        case LossCause::user_filtered:
        case LossCause::unknown_event:
        case LossCause::damaged_stream:
        case LossCause::no_process:
        case LossCause::pending:
        case LossCause::image_filtered:
            break;
    }
    return "";
}

bool is_worth_a_warning(uint64_t lost, uint64_t of) {
    return static_cast<double>(lost) > 0.0001 * static_cast<double>(of);
}

/// Where stacks are walked it is the reader that is late: smaller copies do not help.
std::string_view remedy(LossCause cause, const SessionInfo& info) {
    const bool are_walked = info.stacks.stored() > 0 && info.tool.starts_with("operf ") &&
                            !info.stacks.incomplete.contains("frame_pointers");
    if (cause != LossCause::kernel_buffer || !are_walked) return remedy(cause);
    return "sample less often: use a higher count; at the cost of whole stacks, operf "
           "--unwind=frame-pointers is faster";
}

void note_ledger(const SessionInfo& info, Diagnostics& notes) {
    const Ledger& ledger = info.ledger;
    const uint64_t unwanted =
        add_saturating(ledger.lost(LossCause::user_filtered), ledger.lost(LossCause::image_filtered));
    if (!is_worth_a_warning(ledger.lost() - unwanted, ledger.sampled())) return;
    for (int i = 0; i < loss_causes; ++i) {
        const auto cause = static_cast<LossCause>(i);
        const uint64_t lost = ledger.lost(cause);
        if (lost == 0 || is_unwanted(cause)) continue;
        std::string text = std::to_string(lost) + " of " + counted(ledger.sampled(), "sample") +
                           (lost == 1 ? " was lost: " : " were lost: ") + std::string(loss_text(cause));
        if (const auto what = remedy(cause, info); !what.empty()) text += "; " + std::string(what);
        notes.warn(text);
    }
}

void note_statistics(const SessionReader& session, Diagnostics& notes) {
    uint64_t lost = 0;
    std::vector<std::string> kinds;
    for (const char* name : lost_counters) {
        const uint64_t count = session.statistic(name).value_or(0);
        if (count == 0) continue;
        lost = add_saturating(lost, count);
        kinds.push_back(std::string(name) + " " + std::to_string(count));
    }
    const uint64_t total = session.statistic("total_samples").value_or(0);
    if (lost == 0 || !is_worth_a_warning(lost, total)) return;
    notes.warn(std::to_string(lost) + " of " + counted(total, "sample") +
               (lost == 1 ? " was lost (" : " were lost (") + joined(kinds) + "); see operf.log beside " +
               session.path());
}

/// The names in a directory, sorted; none if it is not there.
std::vector<std::string> names_in(const std::string& directory) {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error))
        names.push_back(at->path().filename());
    std::ranges::sort(names);
    return names;
}

void note_overflow(const SessionReader& session, Diagnostics& notes) {
    uint64_t lost = session.statistic("event_lost_overflow").value_or(0);
    for (const auto& name : names_in(session.path() + "/stats"))
        if (name.starts_with("cpu"))
            lost = add_saturating(lost, session.statistic(name + "/sample_lost_overflow").value_or(0));
    if (lost == 0) return;
    notes.warn("the kernel's sample buffers overflowed, " +
               counted(lost, "sample was lost", "samples were lost") +
               ": use a higher count, or larger buffers (opcontrol --buffer-size, "
               "--cpu-buffer-size)");
}

void note_throttling(const SessionReader& session, const SessionInfo* info, Diagnostics& notes) {
    const std::string directory = session.path() + "/stats/throttled";
    auto events = names_in(directory);
    const std::string place = events.empty() ? "" : " (names in " + directory + ")";
    if (info)
        for (const auto& event : info->events)
            if (event.throttled) events.push_back(event.name);
    std::ranges::sort(events);
    events.erase(std::unique(events.begin(), events.end()), events.end());
    if (events.empty()) return;
    notes.warn("the kernel held these events back because they came too fast: " + joined(events, " ") +
               place + "; their counts are too low, use a higher count");
}

bool has_samples(const std::vector<std::string>& paths, const RecordedEvent& event) {
    const std::string part = "/" + event.name + "." + std::to_string(event.count) + ".";
    return std::ranges::any_of(paths, [&](const std::string& path) { return path.find(part) != path.npos; });
}

/// They have no column. Where there are samples in spite of it, report_footnotes() reports it.
void note_never_counted(const SessionReader& session, const SessionInfo& info, Diagnostics& notes) {
    const auto is_without_counter = [](const RecordedEvent& event) {
        return event.time.is_without_counter();
    };
    if (std::ranges::none_of(info.events, is_without_counter)) return;
    const auto paths = session.list();
    for (const RecordedEvent& event : info.events)
        if (is_without_counter(event) && !has_samples(paths, event))
            notes.warn("event " + event.label() + " was not counted: " + std::string(no_counter_was_free));
}

bool is_being_recorded(const SessionReader& session) {
    return base_name(session.path()) == current_session && is_session_in_use(session.path() + "/../..");
}

void note_unfinished(const SessionReader& session, const SessionInfo& info, Diagnostics& notes) {
    if (!info.unfinished || is_being_recorded(session)) return;
    std::string_view tool = info.tool;
    notes.warn(printable(session.path()) + ": " + printable(take_word(tool)) +
               " has not written its last account here: it was killed, could not write, or ran on when the "
               "session was copied; all samples that it stored are reported, but losses and files' build-ids "
               "are known up to " +
               date_text(info.stop_time) + " only");
}

}  // namespace

void note_losses(const SessionReader& session, const SessionInfo* info, Diagnostics& notes) {
    if (info) note_unfinished(session, *info, notes);
    note_overflow(session, notes);
    note_throttling(session, info, notes);
    if (info) note_never_counted(session, *info, notes);
    if (info)
        note_ledger(*info, notes);
    else
        note_statistics(session, notes);
    if (!info) return;
    for (std::string& text : side_band_notes(*info))
        notes.warn(std::move(text));
    if (auto text = missed_periods_note(*info)) notes.warn(std::move(*text));
    if (auto text = dropped_sessions_note(info->dropped)) notes.warn(std::move(*text));
}

}  // namespace op::pp
