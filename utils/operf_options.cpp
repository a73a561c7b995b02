// SPDX-License-Identifier: GPL-2.0-or-later
// Parsing and checking the options of operf.
#include "utils/operf_options.h"

#include <algorithm>

#include "daemon/run/child_process.h"
#include "daemon/source/stack_copies.h"
#include "libop/base/error.h"
#include "utils/shared/options.h"
#include "utils/task_list.h"

namespace op::tool {
namespace {

using namespace op::collect;

constexpr const char* verbose_classes[] = {"debug", "record", "convert", "misc", "sfile", "arcs", "all"};

CommandSyntax syntax(RecordOptions& o, std::vector<std::string>& pids) {
    CommandSyntax s;
    s.synopsis = "[--system-wide | --pid PIDS | [--system-wide] COMMAND [ARGUMENTS]]";
    s.stop_at_first_word = true;
    s.help_letter = 'h';
    s.usage_letter = 'u';
    s.options = {
        {"system-wide", 's', &o.system_wide, "profile every process, until Ctrl-C or while COMMAND runs"},
        {"pid", 'p', &pids, "profile running processes with their threads and children", "PIDS"},
        {"no-children", 0, &o.no_children, "with --pid: without the children that are running already"},
        {"events", 'e', &o.events,
         "events as NAME:COUNT[:UNITMASK[:KERNEL[:USER]]]; TIMER:NS is the CPU clock", "LIST"},
        {"callgraph", 'g', &o.callgraph, "record call chains too"},
        {"callgraph-files", 0, &o.callgraph_files,
         "with --callgraph: also write pairs of caller and callee, for OProfile's programs"},
        {"unwind", 0, &o.unwind, "how callers are found: tables (default) or frame-pointers", "METHOD"},
        {"stack-size", 0, &o.stack_size, "bytes of the stack to copy with each sample", "BYTES"},
        {"separate-thread", 't', &o.separate_thread, "keep the samples of each thread apart"},
        {"separate-cpu", 'c', &o.separate_cpu, "keep the samples of each CPU apart"},
        {"session-dir", 'd', &o.session_dir,
         "existing directory for the data (default: ./oprofile_data, made)", "DIR"},
        {"vmlinux", 'k', &o.vmlinux, "uncompressed kernel image with symbols", "FILE"},
        {"append", 'a', &o.append, "add to samples/current instead of moving it to samples/previous"},
        {"lazy-conversion", 'l', &o.lazy, "record to a temporary file, make sample files afterwards"},
        {"rotate", 0, &o.rotate, "begin a new session at each midnight or full hour, UTC; save the old one",
         "1d|1h"},
        {"keep", 0, &o.keep, "with --rotate: drop saved sessions that are older, as 7d or 36h", "TIME"},
        {"max-disk", 0, &o.max_disk,
         "with --rotate: drop saved sessions beyond so many bytes, pushed ones first, as 500M or 2G",
         "BYTES"},
        {"verbose", 'V', &o.verbose, "say more: debug, record, convert, misc, sfile, arcs, all", "LIST"},
    };
    return s;
}

void check_stacks(const RecordOptions& o) {
    if (o.unwind && *o.unwind != "tables" && *o.unwind != "frame-pointers")
        throw_usage("--unwind=" + *o.unwind + ": not one of tables, frame-pointers");
    const auto need_callgraph = [&](bool is_given, const char* option) {
        if (is_given && !o.callgraph) throw_usage(std::string(option) + " needs --callgraph");
    };
    need_callgraph(o.unwind.has_value(), "--unwind");
    need_callgraph(o.callgraph_files, "--callgraph-files");
    need_callgraph(o.stack_size.has_value(), "--stack-size");
    if (!o.stack_size) return;
    if (!o.has_unwind_tables())
        throw_usage("--stack-size and --unwind=frame-pointers exclude each other: no stack is copied then");
    if (*o.stack_size < smallest_stack || *o.stack_size > largest_stack || *o.stack_size % 8 != 0)
        throw_usage("--stack-size=" + std::to_string(*o.stack_size) + ": not a multiple of 8 from " +
                    std::to_string(smallest_stack) + " to " + std::to_string(largest_stack));
}

void check_rotation(const RecordOptions& o) {
    if (o.rotation().period == 0) {
        if (!o.keep.empty() || !o.max_disk.empty()) throw_usage("--keep and --max-disk need --rotate");
        return;
    }
    if (o.append) throw_usage("--rotate and --append exclude each other: what is there is saved first");
    if (o.lazy) throw_usage("--rotate and --lazy-conversion exclude each other");
}

void check(const RecordOptions& o) {
    const bool is_any = o.system_wide || !o.command.empty();
    if (!o.pids.empty() && is_any)
        throw_usage(std::string("--pid and ") + (o.system_wide ? "--system-wide" : "a command") +
                    " exclude each other: give one of them");
    if (o.pids.empty() && !is_any)
        throw_usage(
            "name what to profile: a command, --system-wide, --system-wide with a command that it lasts for, "
            "or "
            "--pid");
    if (o.no_children && o.pids.empty()) throw_usage("--no-children needs --pid");
    for (const std::string& word : o.verbose)
        if (std::ranges::find(verbose_classes, word) == std::end(verbose_classes))
            throw_usage("--verbose=" + word + ": not one of debug, record, convert, misc, sfile, arcs, all");
    check_stacks(o);
    check_rotation(o);
    if (!o.command.empty()) find_program(o.command.front());
}

}  // namespace

std::optional<int> RecordOptions::parse(int argc, char** argv) {
    std::vector<std::string> pid_words;
    ParsedOptions parsed = parse_options(argc, argv, syntax(*this, pid_words));
    if (parsed.exit_status) return parsed.exit_status;
    command = std::move(parsed.words);
    pids = processes_of(parse_tasks(pid_words, "--pid"));
    check(*this);
    return std::nullopt;
}

bool RecordOptions::is_verbose(const char* what) const {
    const auto has = [this](const char* word) { return std::ranges::find(verbose, word) != verbose.end(); };
    return has(what) || has("all");
}

}  // namespace op::tool
