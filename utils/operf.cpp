// SPDX-License-Identifier: GPL-2.0-or-later
// operf: profiles a program, a running process or the whole system through perf_event_open.
// Collecting itself is daemon/'s; here are the order of the steps and the summary.
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "daemon/collect/rotation.h"
#include "daemon/collect/session_keeper.h"
#include "daemon/collect/stack_resolver.h"
#include "daemon/jit/reader_spawner.h"
#include "daemon/perf/perf_open.h"
#include "daemon/perf/perf_rate.h"
#include "daemon/run/child_process.h"
#include "daemon/run/idle_clock.h"
#include "daemon/run/recording.h"
#include "daemon/run/run_times.h"
#include "daemon/run/unprofiled_programs.h"
#include "daemon/service/sources.h"
#include "daemon/source/attach.h"
#include "daemon/source/gap_filler.h"
#include "daemon/source/kallsyms_copy.h"
#include "daemon/source/machine.h"
#include "daemon/source/replay_source.h"
#include "daemon/source/vmlinux.h"
#include "libop/base/clock.h"
#include "libop/base/counted.h"
#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libop/session/session_statistics.h"
#include "utils/operf_options.h"
#include "utils/shared/daily_note.h"
#include "utils/shared/tool.h"

namespace op::tool {
namespace {

using namespace op::collect;

// Exit status of the classic operf; the highest that applies.
constexpr int program_failed = 1, recording_failed = 2, conversion_failed = 4, both_failed = 8;
constexpr uint64_t all_callers = UINT64_MAX;
/// "process 7", "processes 7, 9"
std::string processes_text(const std::vector<pid_t>& pids) {
    std::vector<std::string> numbers;
    for (const pid_t pid : pids)
        numbers.push_back(std::to_string(pid));
    return (pids.size() == 1 ? "process " : "processes ") + joined(numbers, ", ");
}

SessionInfo describe(const RecordOptions& o) {
    SessionInfo info = describe_machine();
    info.tool = std::string("operf ") + OP_VERSION;
    info.command = joined(o.command, " ");
    if (!o.pids.empty()) info.command = processes_text(o.pids);
    if (o.system_wide)
        info.command = "whole system" + (o.command.empty() ? "" : ", while it ran " + info.command);
    info.start_time = epoch_seconds();
    return info;
}

/// A size that was not chosen is the usual one, and grows if that is too small.
void choose_stacks(const RecordOptions& o, SourceOptions& source) {
    source.stack_bytes = static_cast<uint32_t>(o.stack_size.value_or(usual_stack));
    if (!o.stack_size) source.larger_stack_bytes = largest_stack;
}

/// The source, described; its target is known once the command is there. `fallback` gets the line on the
/// clock, if it takes the place of the default event.
SourceOptions describe_source(const RecordOptions& o, const SourceKind& kind, std::string& fallback,
                              Diagnostics& notes) {
    SourceOptions source;
    if (!o.events.empty())
        for (EventSpec& spec : parse_event_specs(o.events))
            source.events.push_back({std::move(spec), {}, {}});
    source.callgraph = o.callgraph ? all_callers : 0;
    if (o.callgraph && o.has_unwind_tables()) choose_stacks(o, source);
    source.rate = [pid = o.pids.empty() ? 0 : o.pids.front()](const RecordedEvent& event,
                                                              const EventEncoding& encoding) {
        return measure_event(event, encoding, pid);
    };
    source.fallback = &fallback;
    source.described = describe(o);
    kind.describe(source, notes);
    if (!o.vmlinux.empty()) source.kernel = read_vmlinux(o.vmlinux, running_kernel_build_id(), notes);
    return source;
}

PerfTarget target_of(const RecordOptions& o, const ChildProcess* command) {
    if (o.system_wide) return {PerfTarget::Kind::system};
    if (!o.pids.empty()) return {PerfTarget::Kind::process, o.pids, !o.no_children};
    return {PerfTarget::Kind::command, {command->pid()}};
}

/// One run of operf, in the order of its steps.
class Run {
public:
    Run(Tool& tool, const RecordOptions& options)
        : tool_(tool),
          o_(options),
          kind_(source_kind("perf")),
          wanted_(describe_source(options, kind_, fallback_, source_notes_)),
          info_(wanted_.described),
          session_(session_dir(), options.session_dir.empty(), tool.notes) {
        if (!o_.command.empty()) command_ = std::make_unique<ChildProcess>(o_.command, signals_.old_mask());
        if (command_ && !o_.system_wide)
            unprofiled_.look_at_command(o_.command.front(), static_cast<uint32_t>(command_->pid()));
        for (const pid_t pid : o_.pids)
            attached_.push_back(watch_process(pid));
        // A Ctrl-C from before the fork reaches nobody else, one from after it reaches the command, too.
        if (signals_.take().number != 0) throw_usage("interrupted before anything was profiled");
        raise_file_limit();  // for us, not for the command
        wanted_.perf_target = target_of(o_, command_.get());
        kallsyms_.use_cache(KallsymsCache::of_this_boot());
        wanted_.kallsyms = &kallsyms_;
        wanted_.is_stopping = [] { return StopSignals::is_stop_pending(true); };
        note_made_up_machine(tool.notes);  // explains a refusal, unlike the source's other notes
        opened_ = kind_.open(wanted_, source_notes_);
        for (RecordedEvent& event : info_.events)
            event.kernel &= opened_.kernel_mode;
    }

    int run() {
        keep_unconverted("a run before");
        begin_session();
        announce();
        const bool recorded = tool_.attempt([this] { record_run(); });
        bool converted = !stream_ || tool_.attempt([this] { convert(); });
        if (stream_ && !tool_.attempt([this] { keep_unconverted("this run"); })) converted = false;
        if (keeper_ && !finish()) converted = false;
        const int program = program_status();
        if (!recorded) return converted ? recording_failed : both_failed;
        return converted ? program : conversion_failed;
    }

private:
    void begin_session() {
        if (o_.rotation().period == 0) return session_.begin(o_.append);
        session_.begin(true);
        const std::string left = rotate_left_session(session_, tool_.notes);
        if (!left.empty())
            say("the session of a run before was saved as " + left +
                "; oppush sends it with those of this run");
    }

    std::string session_dir() const { return o_.session_dir.empty() ? "./oprofile_data" : o_.session_dir; }

    void say(const std::string& text) const { write_stderr(tool_.name + ": " + printable(text) + "\n"); }

    void print_source_notes() {
        for (auto& note : source_notes_.take())
            tool_.notes.warn(std::move(note));
        tool_.print_notes();
    }

    void note_children_left_out() {
        std::vector<std::string> numbers;
        for (const pid_t child : other_descendants_of(o_.pids))
            if (o_.no_children || !may_look_into(child)) numbers.push_back(std::to_string(child));
        if (numbers.empty()) return;
        tool_.notes.warn("children of " + processes_text(o_.pids) +
                         " that are not profiled: " + short_list(numbers) +
                         (o_.no_children ? "" : "; they belong to another user: run as root"));
    }

    void announce() {
        if (!fallback_.empty() && is_due(stamp_place(), fallback_stamp(tool_.name), today()))
            tool_.notes.warn(fallback_);
        if (!o_.pids.empty()) note_children_left_out();
        print_source_notes();
        if (o_.is_verbose("record") || o_.is_verbose("debug")) {
            for (const RecordedEvent& e : info_.events)
                say("event " + e.label());
            say("sample buffer per CPU: " + std::to_string(opened_.ring_bytes) + " bytes");
        }
        if (command_) return;
        tool_.attempt([] {  // without a reader of it the profile is still wanted
            write_stdout("operf: Press Ctl-c or 'kill -SIGINT " + std::to_string(::getpid()) +
                         "' to stop profiling\n");
        });
        write_stderr("operf: Profiler started\n");
    }

    CollectorOptions collector_options() const {
        CollectorOptions options{.images_are_local = true, .keeps_builds = !o_.system_wide};
        options.separation.thread = o_.separate_thread;
        options.separation.cpu = o_.separate_cpu;
        options.stacks = o_.callgraph;
        options.arcs = o_.callgraph_files;
        options.exec_code = &kallsyms_.exec_code();
        return options;
    }

    void record_run() {
        clock_ = own_recorder_clock();
        Recording recording{*opened_.source, signals_, tool_.notes, {}, {}, command_.get(), {}};
        for (const Fd& process : attached_)
            recording.attached.push_back(process.get());
        if (o_.lazy) {
            stacks_.emplace(&kallsyms_.exec_code());
            stream_.emplace(session_.create_in_samples(lazy_recording), lazy_recording, info_);
            recording.sink = [this](auto records) {
                look_at_tasks(records);
                for (const Record& record : records)
                    stream_->write(stacks_->resolve(record));
                if (stacks_->take_stack_wish()) opened_.source->copy_larger_stacks();
                for (const Record& record : loss_scan_(records, monotonic_ns()))
                    stream_->write(stacks_->resolve(record));
                stream_->finish();  // a kill costs what the kernel's buffers hold, no more
            };
        } else {
            make_keeper([this](const Sample& sample, Gap gap) { return gaps_(sample, gap); });
            tool_.print_notes();
            recording.sink = [this](auto records) {
                look_at_tasks(records);
                keeper_->process(records);
                if (keeper_->collector().take_stack_wish()) opened_.source->copy_larger_stacks();
            };
            recording.checkpoint = [this] { keeper_->checkpoint(); };
            if (o_.rotation().period != 0) rotate_in(recording);
        }
        const auto began = recording.now();
        const IdleClock idle;
        reason_ = record(recording);
        times_.wall = static_cast<uint64_t>(std::chrono::nanoseconds(recording.now() - began).count());
        times_.idle = idle.passed();
        print_source_notes();
        if (!o_.pids.empty() && reason_ != StopReason::interrupted)
            say(processes_text(o_.pids) + (o_.pids.size() == 1 ? " has ended" : " have ended"));
        if (!command_) write_stderr("Profiling done.\n");
    }

    void rotate_in(Recording& recording) {
        rotation_.emplace(session_, *keeper_, o_.rotation(), tool_.notes,
                          [this](const auto& line) { say(line); });
        recording.round = [this] { rotation_->look(); };
    }
    bool was_cut() const { return rotation_ && rotation_->cuts() > 0; }

    void look_at_tasks(std::span<const Record> records) {
        for (const Record& record : records) {
            times_.tasks += std::holds_alternative<Fork>(record);
            if (!o_.system_wide) unprofiled_.look(record);
        }
    }

    void make_keeper(FillGaps fill) {
        keeper_.emplace(session_, info_, collector_options(), o_.append, tool_.notes, std::move(fill),
                        clock_);
        keeper_->capture_code(readers_);
    }

    /// A run that was killed, or whose disk was full, leaves its recording.
    void keep_unconverted(const char* whose) {
        const std::string path = printable(session_.set_aside_in_samples(lazy_recording));
        if (path.empty()) return;
        tool_.notes.warn(path + " holds samples of " + whose +
                         " that were not all converted; to have them in a session, make a directory DIR, run "
                         "oprofiled --foreground --start --source=replay:" +
                         path + " --session-dir=DIR --control=DIR/control and end it by Ctrl-C " +
                         "when the source has ended; else remove the file");
    }

    /// Makes sample files of what was recorded lazily, and removes the recording if they hold all of it.
    void convert() {
        tool_.attempt([this] { stream_->finish(); });
        if (o_.is_verbose("convert")) say("converting");
        make_keeper({});
        ReplaySource replay(MappedFile(stream_->file(), lazy_recording), lazy_recording, tool_.notes);
        drain_into(replay, [this](auto records) { keeper_->process(records); });
        keeper_->store_held(true);
        if (keeper_->flush_and_account().ledger.lost(LossCause::disk_full) == 0)
            session_.remove_in_samples(lazy_recording);
    }

    /// Writes the session's other files and reports the outcome; false if something could not be
    /// written.
    bool finish() {
        SessionInfo info = keeper_->flush_and_account();
        bool good = tool_.attempt([&] { info = keeper_->save(); });
        good &= tool_.attempt([&] { session_.write_statistics(keeper_->whole(info)); });
        good &= tool_.attempt([&] { session_.append_account(operf_log, info); });
        good &= tool_.attempt([&] { keeper_->write_met_symbols(kallsyms_); });
        good &= tool_.attempt([&] { keeper_->collector().keep_builds(); });
        if (command_) say_end(command_end());
        tool_.print_notes();
        complete_times();
        uncovered_ = uncovered(info);
        if (uncovered_) say(*uncovered_);
        if (const auto note = unsampled_note(info, times_); note && !uncovered_ && !was_cut()) say(*note);
        if (const auto note = waiting_note(info, times_); note && !was_cut() && !uncovered_) say(*note);
        say(outcome(info));
        say_more(info);
        return good;
    }

    /// None where the account does not cover the command's whole life.
    std::optional<std::string> uncovered(const SessionInfo& info) const {
        if (!times_.cpu || was_cut() || reason_ == StopReason::interrupted) return std::nullopt;
        const uint64_t used = times_.cpu->user + times_.cpu->kernel;
        return uncovered_note(
            {used, covered_time(info), times_.tasks, children_.page_faults, children_.switches},
            unprofiled_.names(), "operf");
    }

    /// With what is known once the command has ended.
    void complete_times() {
        children_ = children_usage().since(children_before_);
        if (command_ && !o_.system_wide) times_.cpu = children_.cpu;
        times_.kernel_mode = opened_.kernel_mode;
        times_.callgraph = o_.callgraph;
    }

    void say_end(const ChildEnd& end) const {
        if (!end.normal()) say(o_.command.front() + " " + end.text());
    }

    /// A program that was killed, or stopped because of us, did not fail.
    int program_status() {
        if (!command_) return 0;
        const ChildEnd end = command_end();
        return reason_ == StopReason::interrupted || end.normal() || (end.signalled && end.code == SIGKILL)
                   ? 0
                   : program_failed;
    }

    /// Waits for it; a recording that failed ends before its program.
    ChildEnd command_end() {
        if (await_end(*command_, signals_) == StopReason::interrupted) reason_ = StopReason::interrupted;
        return *command_->poll_end();
    }

    std::string why_none() const {
        if (reason_ == StopReason::ended_before)
            return processes_text(o_.pids) + " ended before sampling began";
        if (uncovered_) return "what could be sampled took less CPU time than one sample needs";
        return "less CPU time than one sample needs; a lower count gives more";
    }

    std::string outcome(const SessionInfo& info) const {
        std::string text = samples_text(info.ledger);
        if (info.ledger.sampled() == 0 && !was_cut()) text += " (" + why_none() + ")";
        if (!session_.is_in_place())
            return text + ", but " + session_.current_path() + " was removed meanwhile";
        text += ", data in " + session_.current_path();
        if (!was_cut()) return text + "; " + run_figures(info, times_);
        return text + "; what was sampled before is in " + counted(rotation_->cuts(), "session") +
               " fleet-... beside it";
    }

    /// The events that took turns, and for which share of the time each was counted.
    static std::string multiplexed(const SessionInfo& info) {
        std::vector<std::string> texts;
        for (const RecordedEvent& e : info.events)
            if (e.time.is_partial() && !e.time.is_without_counter())
                texts.push_back(e.label() + " ran " + std::to_string(static_cast<int>(e.time.share() * 100)) +
                                " % of the time");
        return joined(texts);
    }

    /// Where more than one stack in a hundred is not complete.
    static std::string incomplete_stacks(const StackAccount& stacks) {
        const uint64_t all = stacks.stored();
        if (all == 0 || stacks.complete >= all - all / 100) return "";
        std::vector<std::string> reasons;
        for (const auto& [reason, samples] : stacks.incomplete)
            reasons.push_back(reason + " " + std::to_string(samples));
        return std::to_string(all - stacks.complete) + " of " + std::to_string(all) +
               (all == 1 ? " stack is" : " stacks are") + " not complete (" + joined(reasons) +
               "); opreport(1) explains the reasons";
    }

    void say_more(const SessionInfo& info) const {
        if (const std::string events = multiplexed(info); !events.empty())
            say("events took turns on the processor's counters: " + events + "; reports scale their counts");
        for (const RecordedEvent& e : info.events)
            if (e.time.is_without_counter())
                say("event " + e.label() + " was not counted: " + std::string(no_counter_was_free));
        for (const RecordedEvent& e : info.events)
            if (e.throttled)
                say("the kernel held event " + e.name +
                    " back: too many samples a second; use a higher count");
        if (info.ledger.lost(LossCause::no_process) > 0)
            say("processes outside this pid namespace were not sampled; run operf outside it for them");
        for (const std::string& text : side_band_notes(info))
            say(text);
        if (const std::string stacks = incomplete_stacks(info.stacks); !stacks.empty()) say(stacks);
        for (const std::string& text : stack_loss_notes(info.stacks))
            say(text);
        if (o_.is_verbose("arcs") && o_.callgraph_files)
            say(counted(info.arcs_stored, "call-graph arc") + ", " + std::to_string(info.arcs_lost) +
                " lost");
        if (!o_.is_verbose("sfile")) return;
        for (const std::string& path : SessionReader(session_.current_path()).list())
            say("sample file " + path);
    }

    Tool& tool_;
    const RecordOptions& o_;
    StopSignals signals_;
    ReaderSpawner readers_;     ///< before anything is opened, which a reader must not have
    Diagnostics source_notes_;  ///< printed once sampling is about to start, and at its end: no error is
                                ///< explained by them
    std::string fallback_;      ///< see describe_source()
    const SourceKind& kind_;
    SourceOptions wanted_;
    SessionInfo info_;
    SessionWriter session_;
    std::unique_ptr<ChildProcess> command_;
    std::vector<Fd> attached_;
    OpenedSource opened_;
    KallsymsCopy kallsyms_;
    GapFiller gaps_;
    RecorderClock clock_;                  ///< since recording began
    std::optional<StackResolver> stacks_;  ///< of a lazy recording
    LossScan loss_scan_;
    std::optional<SessionKeeper> keeper_;
    std::optional<Rotation> rotation_;
    std::optional<StreamWriter> stream_;
    RunTimes times_;
    const ChildrenUsage children_before_ = children_usage();
    ChildrenUsage children_;  ///< since then
    UnprofiledPrograms unprofiled_;
    std::optional<std::string> uncovered_;  ///< the note on them
    StopReason reason_ = StopReason::program_ended;
};

int operf(Tool& tool, int argc, char** argv) {
    RecordOptions options;
    if (const auto status = options.parse(argc, argv)) return *status;
    return Run(tool, options).run();
}

}  // namespace
}  // namespace op::tool

int main(int argc, char** argv) {
    return op::tool::run(argc, argv, op::tool::operf);
}
