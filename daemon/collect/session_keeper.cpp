// SPDX-License-Identifier: GPL-2.0-or-later
// Manifest, kernel symbols and summary of a session that is being recorded.
#include "daemon/collect/session_keeper.h"

#include <ctime>
#include <utility>

#include "daemon/collect/append_check.h"
#include "libop/base/clock.h"
#include "libop/base/text.h"
#include "libop/stacks/recover_account.h"

namespace op::collect {
namespace {

/// A path costs about 1 us. A program that was replaced may end at any moment.
constexpr std::chrono::seconds look_interval{1};
constexpr size_t paths_of_a_look = 256;
/// While binaries are copied no record is taken from the kernel's buffers. The last copy may go 16 MiB
/// beyond.
constexpr uint64_t bytes_of_a_look = uint64_t{32} << 20;

/// The account of the runs before, if the session has one.
std::optional<SessionInfo> account_before(SessionWriter& session, Diagnostics& notes) {
    recover_account(session, notes);
    return session.read_info(notes);
}

/// The names of these sample files.
std::vector<SampleName> held_names(const std::vector<std::string>& paths) {
    std::vector<SampleName> names;
    for (const std::string& path : paths)
        if (auto name = parse_sample_path(path)) names.push_back(std::move(*name));
    return names;
}

std::string losses(const Ledger& ledger) {
    std::vector<std::string> texts;
    for (int i = 0; i < loss_causes; ++i) {
        const auto cause = static_cast<LossCause>(i);
        if (ledger.lost(cause) == 0) continue;
        texts.push_back(std::to_string(ledger.lost(cause)) + " " + std::string(loss_text(cause)));
    }
    return joined(texts);
}

}  // namespace

SessionKeeper::SessionKeeper(SessionWriter& session, const SessionInfo& described,
                             const CollectorOptions& options, bool append, Diagnostics& notes,
                             FillGaps fill_gaps)
    : session_(session),
      earlier_(append ? account_before(session, notes) : std::nullopt),
      collector_(session, described, options, notes, std::move(fill_gaps)) {
    if (earlier_) collector_.add_earlier(*earlier_);
    if (append) {
        const std::vector<std::string> held = session.list();
        collector_.count_earlier(held);
        for (const auto& difference : append_differences(held_names(held), earlier_, described, options))
            notes.warn(printable(session.current_path()) + " " + difference);
    }
    save();
}

void SessionKeeper::process(std::span<const Record> records) {
    collector_.process(records);
    const auto now = std::chrono::steady_clock::now();
    if (now < next_look_) return;
    next_look_ = now + look_interval;
    collector_.keep_replaced(paths_of_a_look, bytes_of_a_look);
}

SessionInfo SessionKeeper::flush_and_account() {
    SessionInfo run = collector_.flush_and_account();
    run.stop_time = epoch_seconds();
    return run;
}

SessionInfo SessionKeeper::whole(const SessionInfo& run) const {
    if (!earlier_) return run;
    SessionInfo sum = *earlier_;
    sum.merge(run);
    return sum;
}

SessionInfo SessionKeeper::save() {
    collector_.keep_replaced();
    return write_account();
}

SessionInfo SessionKeeper::write_account() {
    SessionInfo run = flush_and_account();
    session_.write_info(whole(run));
    return run;
}

SessionInfo SessionKeeper::checkpoint() {
    collector_.keep_replaced(SIZE_MAX, bytes_of_a_look);
    SessionInfo run = write_account();
    // All of them, as the run goes on.
    if (KallsymsCopy kallsyms; !kallsyms_written_) write_kallsyms(kallsyms, nullptr);
    return run;
}

void SessionKeeper::write_met_symbols(KallsymsCopy& kept) {
    write_kallsyms(kept, earlier_ ? nullptr : &collector_.kernel_pages());
}

void SessionKeeper::write_kallsyms(KallsymsCopy& kallsyms, const KernelPages* pages) {
    if (!collector_.saw_kernel()) return;
    const std::string symbols = kallsyms.snapshot(pages);
    if (!symbols.empty()) session_.write_file(kallsyms_name, symbols);
    kallsyms_written_ = true;
}

void SessionKeeper::begin_run() {
    earlier_.reset();
    kallsyms_written_ = false;
    collector_.begin_run(epoch_seconds());
    save();
}

std::string summary(const SessionInfo& run) {
    const Ledger& l = run.ledger;
    std::string text = std::to_string(l.stored()) + " samples";
    if (l.lost() > 0) text += ", " + std::to_string(l.lost()) + " lost (" + losses(l) + ")";
    return text;
}

}  // namespace op::collect
