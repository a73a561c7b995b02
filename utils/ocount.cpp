// SPDX-License-Identifier: GPL-2.0-or-later
// ocount: counts events of a program, of running tasks, of CPUs or of the whole system, without samples.
// Counting itself is daemon/'s; here are the options, the order of the steps and the exit status.
#include <poll.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "daemon/count/choose_counted.h"
#include "daemon/count/count_loop.h"
#include "daemon/count/perf_counters.h"
#include "daemon/perf/perf_events.h"
#include "daemon/run/child_process.h"
#include "daemon/run/recording.h"
#include "daemon/run/run_times.h"
#include "daemon/run/unprofiled_programs.h"
#include "daemon/source/attach.h"
#include "daemon/source/cpu_list.h"
#include "daemon/source/machine.h"
#include "libop/base/clock.h"
#include "libop/base/error.h"
#include "libop/base/text.h"
#include "utils/count_report.h"
#include "utils/ocount_options.h"
#include "utils/shared/daily_note.h"
#include "utils/shared/output.h"
#include "utils/shared/tool.h"

namespace op::tool {
namespace {

using namespace op::collect;

/// Exit status of the classic ocount if the program failed.
constexpr int program_failed = 1;

CountTarget target_of(const CountOptions& o) {
    switch (o.kind()) {
        case CountReport::Kind::command:
            return {CountTarget::Kind::command, {}, {}};
        case CountReport::Kind::processes:
            return {CountTarget::Kind::processes, o.tasks, {}};
        case CountReport::Kind::threads:
            return {CountTarget::Kind::threads, o.tasks, {}};
        case CountReport::Kind::cpus:
            return {CountTarget::Kind::cpus, {}, o.cpus};
        case CountReport::Kind::system:
            break;
    }
    return {CountTarget::Kind::cpus, {}, online_cpus()};
}

/// Running tasks, to see when all of them have ended.
class WatchedTasks {
public:
    WatchedTasks(CountReport::Kind kind, const std::vector<pid_t>& tasks) {
        for (const pid_t task : tasks) {
            if (kind == CountReport::Kind::processes)
                processes_.push_back(watch_process(task));
            else if (is_ending(task))
                throw_system("cannot count thread " + std::to_string(task), ESRCH);
            else
                threads_.push_back({task, start_of(task)});
        }
    }

    bool is_any() const { return !processes_.empty() || !threads_.empty(); }

    bool have_ended() const {
        return std::ranges::all_of(processes_, has_ended) && std::ranges::all_of(threads_, is_over);
    }

private:
    struct Thread {
        pid_t number;
        std::optional<uint64_t> start;  ///< numbers are used again
    };

    static bool is_over(const Thread& thread) {
        if (is_ending(thread.number)) return true;
        const auto start = start_of(thread.number);
        return thread.start && start && *start != *thread.start;
    }

    static bool has_ended(const Fd& process) {
        pollfd fd{process.get(), POLLIN, 0};
        return ::poll(&fd, 1, 0) > 0;
    }

    std::vector<Fd> processes_;  ///< pidfds, readable once the process has ended
    std::vector<Thread> threads_;
};

/// One run of ocount, in the order of its steps.
class Run {
public:
    Run(Tool& tool, const CountOptions& options)
        : tool_(tool),
          o_(options),
          output_(options.output_file),
          events_(choose_counted_events(options.specs, running_catalogue(), is_countable_here, fallback_)),
          watched_(options.kind(), options.tasks),
          target_(target_of(options)) {
        if (!o_.command.empty()) command_ = std::make_unique<ChildProcess>(o_.command, signals_.old_mask());
        if (target_.kind == CountTarget::Kind::command) {
            target_.tasks = {command_->pid()};
            unprofiled_.look_at_command(o_.command.front(), static_cast<uint32_t>(command_->pid()));
        }
        // A Ctrl-C from before the fork reaches nobody else, one from after it reaches the command, too.
        if (signals_.take().number != 0) throw_usage("interrupted before anything was counted");
        raise_file_limit();                // for us, not for the command
        note_made_up_machine(tool.notes);  // explains a refusal, unlike the other notes
        counters_ = std::make_unique<PerfCounters>(target_, events_, start_notes_);
    }

    int run() {
        announce();
        const CountReport report = describe();
        Counting counting{*counters_, signals_, {}, o_.separation(), o_.intervals(), command_.get(), {}};
        counting.sink = [&](const CountBlock& block) { print(report, block); };
        if (watched_.is_any()) counting.has_ended = [this] { return watched_.have_ended(); };
        StopReason reason = StopReason::program_ended;
        const bool is_counted = tool_.attempt([&] { reason = count_events(counting); });
        // If the counts cannot be printed, the command is still ended.
        if (command_ && await_end(*command_, signals_) == StopReason::interrupted)
            reason = StopReason::interrupted;
        const bool is_of_command = target_.kind == CountTarget::Kind::command;
        if (is_counted && is_of_command && reason == StopReason::program_ended) note_uncovered();
        const int status = command_ ? program_status(reason) : 0;
        return is_counted ? status : 1;
    }

private:
    void say(const std::string& text) const { write_stderr(tool_.name + ": " + printable(text) + "\n"); }

    void announce() {
        if (!fallback_.empty() && is_due(stamp_place(), fallback_stamp(tool_.name), today()))
            tool_.notes.warn(fallback_);
        for (auto& note : start_notes_.take())
            tool_.notes.warn(std::move(note));
        tool_.print_notes();
        if (!o_.verbose) return;
        for (const CountedEvent& event : events_)
            say("event " + event.label + ": type " + std::to_string(event.encoding.type) + ", config 0x" +
                hex(event.encoding.config) + ", 0x" + hex(event.encoding.config1) + ", 0x" +
                hex(event.encoding.config2));
        say("counters: " + std::to_string(counters_->counters().size()));
    }

    CountReport describe() const {
        CountReport report;
        report.kind = o_.kind();
        report.command = joined(o_.command, " ");
        report.numbers = o_.numbers();
        for (const CountedEvent& event : events_)
            report.events.push_back(event.label);
        report.separation = o_.separation();
        report.has_intervals = o_.intervals().length.count() > 0;
        return report;
    }

    void print(const CountReport& report, const CountBlock& block) {
        const auto form = o_.format == "json" ? count_report_json
                          : o_.brief          ? count_report_brief
                                              : count_report_text;
        output_.write(form(report, block, epoch_seconds()));
    }

    void note_uncovered() const {
        const ChildrenUsage children = children_usage().since(children_before_);
        Coverage time{.used = children.cpu.user + children.cpu.kernel,
                      .faults = children.page_faults,
                      .switches = children.switches};
        for (const CounterReading& reading : counters_->read())
            time.covered = std::max(time.covered, reading.enabled);
        const auto tasks = tasks_since_boot();
        time.tasks = tasks && tasks_before_ ? *tasks - *tasks_before_ : UINT64_MAX;
        if (const auto note = uncovered_note(time, unprofiled_.names(), "ocount")) say(*note);
    }

    /// A program that was killed, or ended because of us, did not fail.
    int program_status(StopReason reason) const {
        const ChildEnd end = *command_->poll_end();
        if (reason == StopReason::intervals_over || end.normal()) return 0;
        say(o_.command.front() + " " + end.text());
        const bool is_killed = end.signalled && end.code == SIGKILL;
        return reason == StopReason::interrupted || is_killed ? 0 : program_failed;
    }

    Tool& tool_;
    const CountOptions& o_;
    OutputStream output_;  ///< opened while Ctrl-C still ends this process: a pipe may make that wait
    StopSignals signals_;
    Diagnostics start_notes_;  ///< printed once counting is about to start: no error is explained by them
    std::string fallback_;     ///< the line on the clock, if it replaces the default event
    std::vector<CountedEvent> events_;
    WatchedTasks watched_;
    CountTarget target_;
    std::unique_ptr<ChildProcess> command_;
    std::unique_ptr<PerfCounters> counters_;
    UnprofiledPrograms unprofiled_;
    std::optional<uint64_t> tasks_before_ = tasks_since_boot();
    const ChildrenUsage children_before_ = children_usage();
};

int ocount(Tool& tool, int argc, char** argv) {
    CountOptions options;
    if (const auto status = options.parse(argc, argv)) return *status;
    return Run(tool, options).run();
}

}  // namespace
}  // namespace op::tool

int main(int argc, char** argv) {
    return op::tool::run(argc, argv, op::tool::ocount);
}
