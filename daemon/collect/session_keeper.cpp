// SPDX-License-Identifier: GPL-2.0-or-later
// Manifest, kernel symbols and summary of a session that is being recorded.
#include "daemon/collect/session_keeper.h"

#include <ctime>
#include <utility>

#include "daemon/collect/append_check.h"
#include "daemon/collect/limit_note.h"
#include "libop/base/clock.h"
#include "libop/base/random_id.h"
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

/// While recording the kernel's buffers fill meanwhile; the end of a run may wait for long maps.
constexpr std::chrono::milliseconds dump_names_limit{200}, last_names_limit{10000}, cut_names_limit{1000};

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

}  // namespace

SessionKeeper::SessionKeeper(SessionWriter& session, const SessionInfo& described,
                             const CollectorOptions& options, bool append, Diagnostics& notes,
                             FillGaps fill_gaps, RecorderClock clock)
    : session_(session),
      notes_(notes),
      session_id_(random_id()),
      earlier_(append ? account_before(session, notes) : std::nullopt),
      collector_(session, described, options, notes, std::move(fill_gaps)),
      clock_(std::move(clock)) {
    if (earlier_) collector_.add_earlier(*earlier_);
    if (append) {
        const std::vector<std::string> held = session.list();
        collector_.count_earlier(held);
        for (const auto& difference : append_differences(held_names(held), earlier_, described, options))
            notes.warn(printable(session.current_path()) + " " + difference);
    }
    write_first();
}

void SessionKeeper::process(std::span<const Record> records) {
    collector_.process(records);
    const auto now = std::chrono::steady_clock::now();
    if (now < next_look_) return;
    next_look_ = now + look_interval;
    collector_.keep_replaced(paths_of_a_look, bytes_of_a_look);
    collector_.place_much_code();
}

SessionInfo SessionKeeper::flush_and_account() {
    SessionInfo run = collector_.flush_and_account();
    if (run.stop_time == 0) run.stop_time = epoch_seconds();  // else the source knows when it ended
    run.dropped = dropped_;
    if (clock_) run.recorder_cpu = clock_().since(before_);
    run.session_id = session_id_;
    return run;
}

SessionInfo SessionKeeper::whole(const SessionInfo& run) const {
    if (!earlier_) return run;
    SessionInfo sum = *earlier_;
    sum.merge(run);
    return sum;
}

void SessionKeeper::write_first() {
    collector_.keep_replaced();
    write_account(std::chrono::milliseconds(0), true, true);  // nothing has been asked for
}

SessionInfo SessionKeeper::save() {
    collector_.keep_replaced();
    collector_.store_starting();
    SessionInfo run = write_account(last_names_limit, true, false);
    if (run.ledger.lost(LossCause::image_limit) > 0) note_what_fills();
    return run;
}

void SessionKeeper::note_what_fills() {
    if (const std::string note = what_fills(session_.list()); !note.empty()) notes_.warn(note);
}

void SessionKeeper::capture_code(ReaderSpawner& spawner) {
    code_.emplace(session_, spawner, notes_).know_earlier(processes_with_code(session_, notes_));
    collector_.watch_code(*code_);
}

void SessionKeeper::store_held(bool at_end) {
    if (at_end) collector_.store_starting();
    collector_.place_code(at_end ? last_names_limit : dump_names_limit, true);
}

SessionInfo SessionKeeper::write_account(std::chrono::milliseconds names_limit, bool is_last,
                                         bool is_unfinished) {
    collector_.place_code(names_limit, is_last);
    SessionInfo run = flush_and_account();
    run.unfinished = is_unfinished;
    if (code_) code_->write(names_limit, is_last);
    session_.write_info(whole(run));
    return run;
}

SessionInfo SessionKeeper::checkpoint(bool is_unfinished) {
    collector_.keep_replaced(SIZE_MAX, bytes_of_a_look);
    SessionInfo run = write_account(dump_names_limit, false, is_unfinished);
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

SessionInfo SessionKeeper::end_slice(const SliceEnd& end) {
    collector_.keep_replaced(SIZE_MAX, bytes_of_a_look);
    collector_.place_code(cut_names_limit, true);
    collector_.retry_files();
    const bool source_knows_end = collector_.knows_stop_time();
    SessionInfo run = flush_and_account();
    if (!source_knows_end) run.stop_time = end.stop_time;
    run.clock_set_forward = end.clock_set_forward;
    run.clock_set_back = end.clock_set_back;
    if (code_) code_->write(cut_names_limit, true);
    if (KallsymsCopy kallsyms; !kallsyms_written_) write_kallsyms(kallsyms, nullptr);
    SessionInfo sum = whole(run);
    session_.write_info(sum);
    session_.write_statistics(sum);
    return sum;
}

void SessionKeeper::begin_run(uint64_t start_time) {
    earlier_.reset();
    session_id_ = random_id();
    dropped_.clear();
    if (clock_) before_ = clock_();
    kallsyms_written_ = false;
    collector_.begin_run(start_time);
    if (code_) code_->begin_run();
    write_first();
}

}  // namespace op::collect
