// SPDX-License-Identifier: GPL-2.0-or-later
// Parsing and checking the options of ocount.
#include "utils/ocount_options.h"

#include <algorithm>

#include "daemon/run/child_process.h"
#include "daemon/source/cpu_list.h"
#include "libop/base/error.h"
#include "libop/base/text.h"
#include "utils/shared/options.h"
#include "utils/task_list.h"

namespace op::tool {
namespace {

using namespace op::collect;

std::vector<uint32_t> parse_cpus(const std::vector<std::string>& words) {
    const std::string text = joined(words, ",");
    const auto cpus = parse_cpu_list(text);
    if (!cpus) throw_usage("--cpu-list: '" + printable(text) + "' is no list of CPUs; write one like 0,2-4");
    const auto online = online_cpus();
    for (const uint32_t cpu : *cpus)
        if (std::ranges::find(online, cpu) == online.end())
            throw_usage("--cpu-list: CPU " + std::to_string(cpu) + " is not there, or off");
    return *cpus;
}

}  // namespace

CountIntervals parse_intervals(const std::string& text) {
    constexpr uint64_t step = 100, longest = uint64_t{1000} * 60 * 60 * 24 * 365;
    const size_t colon = text.find(':');
    const auto length = parse_number(std::string_view(text).substr(0, colon));
    const auto number = colon == text.npos ? std::optional<uint64_t>(0)
                                           : parse_number(std::string_view(text).substr(colon + 1));
    if (!length || !number || (colon != text.npos && *number == 0))
        throw_usage("--time-interval: '" + printable(text) +
                    "': write milliseconds, and after a colon how many intervals, like 500:10");
    if (*length < step || *length > longest)
        throw_usage("--time-interval: " + std::to_string(*length) +
                    ": an interval has at least 100 milliseconds and at most a year");
    return {std::chrono::milliseconds{(*length + step / 2) / step * step}, *number};
}

std::optional<int> CountOptions::parse(int argc, char** argv) {
    CommandSyntax s;
    s.synopsis =
        "[--system-wide | --process-list PIDS | --thread-list TIDS | --cpu-list CPUS | [--system-wide] "
        "COMMAND "
        "[ARGUMENTS]]";
    s.stop_at_first_word = true;
    s.help_letter = 'h';
    s.usage_letter = 'u';
    s.options = {
        {"system-wide", 's', &system_wide_, "count everything, until Ctrl-C or while COMMAND runs"},
        {"process-list", 'p', &processes_, "count running processes with their threads and children", "PIDS"},
        {"thread-list", 'r', &threads_, "count running threads", "TIDS"},
        {"cpu-list", 'C', &cpus_, "count everything on these CPUs, like 0,2-4", "CPUS"},
        {"events", 'e', &events_, "events as NAME[:UNITMASK[:KERNEL[:USER]]]; ophelp lists them", "LIST"},
        {"separate-cpu", 'c', &separate_cpu_, "a count for each CPU, with --system-wide or --cpu-list"},
        {"separate-thread", 't', &separate_thread_,
         "a count for each thread, with --process-list or --thread-list"},
        {"time-interval", 'i', &interval_,
         "print counts every so many milliseconds, and end after so many times", "MSEC[:NUMBER]"},
        {"brief-format", 'b', &brief, "a line a count: [CPU or thread,]event,count,percent of time"},
        {"format", 0, &format, "text or json", "FORMAT"},
        {"output-file", 'f', &output_file, "print to this file, not to standard output", "FILE"},
        {"verbose", 'V', &verbose, "say how the kernel is asked for the events"},
    };
    const ParsedOptions parsed = parse_options(argc, argv, s);
    if (parsed.exit_status) return parsed.exit_status;
    command = parsed.words;
    check_modes();
    check_separation();
    check_format();
    read_lists();
    return std::nullopt;
}

void CountOptions::check_modes() const {
    const bool is_any = system_wide_ || !command.empty();
    if (is_any + !processes_.empty() + !threads_.empty() + !cpus_.empty() != 1)
        throw_usage(
            "name what to count: a command, --system-wide, --system-wide with a command that it lasts for, "
            "--process-list, --thread-list or --cpu-list");
}

void CountOptions::check_separation() const {
    if (separate_thread_ && processes_.empty() && threads_.empty())
        throw_usage(
            "--separate-thread goes with --process-list or --thread-list: the threads that a command "
            "will have are not known when counting begins, and their counts are added to its own");
    if (separate_cpu_ && !system_wide_ && cpus_.empty())
        throw_usage(
            "--separate-cpu goes with --system-wide or --cpu-list: the counts of a task are kept "
            "wherever it runs");
}

void CountOptions::check_format() const {
    if (format != "text" && format != "json") throw_usage("--format=" + format + ": must be text or json");
    if (brief && format == "json") throw_usage("--brief-format is a form of text, not of JSON; ask for one");
}

void CountOptions::read_lists() {
    if (!events_.empty()) specs = parse_countless_event_specs(events_);
    if (!processes_.empty()) tasks = parse_tasks(processes_, "--process-list");
    if (!threads_.empty()) tasks = parse_tasks(threads_, "--thread-list");
    if (!cpus_.empty()) cpus = parse_cpus(cpus_);
    if (!interval_.empty()) parse_intervals(interval_);
    if (!command.empty()) find_program(command.front());
    if (!processes_.empty()) tasks = processes_of(tasks);
}

CountReport::Kind CountOptions::kind() const {
    if (!processes_.empty()) return CountReport::Kind::processes;
    if (!threads_.empty()) return CountReport::Kind::threads;
    if (!cpus_.empty()) return CountReport::Kind::cpus;
    return system_wide_ ? CountReport::Kind::system : CountReport::Kind::command;
}

CountSeparation CountOptions::separation() const {
    if (separate_thread_) return CountSeparation::task;
    return separate_cpu_ ? CountSeparation::cpu : CountSeparation::none;
}

CountIntervals CountOptions::intervals() const {
    return interval_.empty() ? CountIntervals{} : parse_intervals(interval_);
}

std::vector<uint32_t> CountOptions::numbers() const {
    std::vector<uint32_t> numbers(tasks.begin(), tasks.end());
    numbers.insert(numbers.end(), cpus.begin(), cpus.end());
    return numbers;
}

}  // namespace op::tool
