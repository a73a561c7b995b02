// SPDX-License-Identifier: GPL-2.0-or-later
// opcontrol's options and the rules among them.
#include "utils/opcontrol/control_options.h"

#include <algorithm>

#include "daemon/driver/driver_models.h"
#include "libop/base/error.h"
#include "libop/base/text.h"
#include "utils/opcontrol/driver_timers.h"

namespace op::tool {

namespace {

struct ActionFlag {
    ControlAction action;
    bool ControlOptions::*flag;
};
constexpr ActionFlag action_flags[] = {
    {ControlAction::init, &ControlOptions::init},
    {ControlAction::status, &ControlOptions::status},
    {ControlAction::start_daemon, &ControlOptions::start_daemon},
    {ControlAction::start, &ControlOptions::start},
    {ControlAction::dump, &ControlOptions::dump},
    {ControlAction::stop, &ControlOptions::stop},
    {ControlAction::shutdown, &ControlOptions::shutdown},
    {ControlAction::reset, &ControlOptions::reset},
    {ControlAction::deinit, &ControlOptions::deinit},
    {ControlAction::list_events, &ControlOptions::list_events},
};
constexpr const char* verbose_words[] = {"all", "sfile", "arcs", "samples", "module", "misc", "ext"};

ControlAction the_one_action(const ControlOptions& o) {
    ControlAction action = o.save            ? ControlAction::save
                           : o.rotates_now() ? ControlAction::rotate
                           : o.sets_timers() ? ControlAction::set_timers
                                             : ControlAction::none;
    int given = o.save.has_value() + o.rotates_now() + o.sets_timers();
    for (const ActionFlag& row : action_flags) {
        if (!(o.*row.flag)) continue;
        action = row.action;
        ++given;
    }
    if (given > 1) throw_usage("only one action at a time can be asked for; see --help");
    return action;
}

void add_actions(ControlOptions& o, std::vector<Option>& table) {
    static const std::string model_help = "with --init: count with this model of the driver (" +
                                          collect::driver_model_names() + "); an error if it cannot";
    const Option rows[] = {
        {"init", 0, &o.init, "load the driver and mount its files"},
        {"setup", 0, &o.setup, "save the settings given with it"},
        {"status", 0, &o.status, "show the state of the daemon and the settings"},
        {"start-daemon", 0, &o.start_daemon, "start the daemon without sampling"},
        {"start", 's', &o.start, "start sampling, and the daemon if it does not run"},
        {"dump", 'd', &o.dump, "write the samples so far to the session directory"},
        {"stop", 't', &o.stop, "stop sampling"},
        {"shutdown", 'h', &o.shutdown, "stop sampling and end the daemon"},
        {"reset", 0, &o.reset, "delete the samples of the current session"},
        {"save", 0, &o.save, "rename the current session", "NAME"},
        {"deinit", 0, &o.deinit, "shut down, unmount the driver's files and unload it"},
        {"list-events", 'l', &o.list_events, "list the events that can be counted here"},
        {"xml", 'X', &o.xml, "with --list-events: as XML, for programs"},
        {"timer", 0, &o.timers, "switch the driver's timer on a CPU, or on all: CPU|all:on|off", "SWITCH"},
        {"timer-period", 0, &o.timer_period,
         "microseconds between samples of the driver's timers; 0: by the event's count", "USEC"},
        {"module", 0, &o.module, "with --init: the driver to load (default: the kernel's own)", "FILE"},
        {"model", 0, &o.model, model_help.c_str(), "NAME"},
        {"verbose", 'V', &o.verbose, "with --start: make the daemon log more, on the subjects of LIST",
         "LIST", &o.is_verbose},
        {"root-dir", 0, &o.root_dir, "use the files below DIR instead of the machine's, for tests", "DIR"},
    };
    table.insert(table.end(), std::begin(rows), std::end(rows));
}

void add_settings(ControlOptions& o, std::vector<Option>& table) {
    const Option rows[] = {
        {"event", 'e', &o.events, "count this: NAME:COUNT[:UNITMASK[:KERNEL[:USER]]], or default", "EVENT"},
        {"separate", 'p', &o.separate, "keep samples apart by none, library, kernel, thread, cpu or all",
         "LIST"},
        {"callgraph", 'c', &o.callgraph, "record up to DEPTH callers with every sample; 0: no callers",
         "DEPTH"},
        {"callgraph-files", 0, &o.callgraph_files,
         "1: write pairs of caller and callee, too, for OProfile's programs; 0: call stacks alone", "0|1"},
        {"session-dir", 0, &o.session_dir, "store samples in DIR (default: /var/lib/oprofile)", "DIR"},
        {"image", 'i', &o.image, "sample only these binaries, or all", "LIST"},
        {"vmlinux", 0, &o.vmlinux, "the uncompressed kernel image, with symbols", "FILE"},
        {"no-vmlinux", 0, &o.no_vmlinux, "no such image: take the symbols of the running kernel"},
        {"kernel-range", 0, &o.kernel_range, "addresses of the kernel's text, in hexadecimal", "START,END"},
        {"buffer-size", 0, &o.buffer_size, "the driver's sample memory in words; 0 is its default", "N"},
        {"buffer-watershed", 0, &o.buffer_watershed, "words still free when the daemon is woken", "N"},
        {"cpu-buffer-size", 0, &o.cpu_buffer_size, "samples each CPU can hold", "N"},
        {"pid-filter", 0, &o.pid_filter, "sample only this process; none: all", "PID"},
        {"pgrp-filter", 0, &o.pgrp_filter, "sample only this process group; none: all", "PGRP"},
        {"rotate", 0, &o.rotate,
         "save the session at each midnight (1d) or full hour (1h), UTC, and begin a new one; off: never; "
         "now: "
         "do it at once (an action, no setting)",
         "1d|1h|off|now"},
        {"keep", 0, &o.keep, "with --rotate: drop saved sessions that are older, as 7d or 36h; off: none",
         "TIME"},
        {"max-disk", 0, &o.max_disk,
         "with --rotate: drop saved sessions beyond so many bytes, as 2G, pushed ones first; off: none",
         "BYTES"},
    };
    table.insert(table.end(), std::begin(rows), std::end(rows));
}

}  // namespace

bool ControlOptions::has_settings() const {
    return !events.empty() || !separate.empty() || vmlinux || session_dir || image || kernel_range ||
           no_vmlinux || callgraph || callgraph_files || buffer_size || buffer_watershed || cpu_buffer_size ||
           pid_filter || pgrp_filter || (rotate && !rotates_now()) || keep || max_disk;
}

CommandSyntax control_syntax(ControlOptions& options) {
    CommandSyntax syntax;
    syntax.has_exact_names = true;
    syntax.synopsis = "ACTION [SETTING...] | SETTING...";
    add_actions(options, syntax.options);
    add_settings(options, syntax.options);
    return syntax;
}

ControlAction chosen_action(const ControlOptions& o) {
    const ControlAction action = the_one_action(o);
    const bool starts = action == ControlAction::start || action == ControlAction::start_daemon;
    if (o.setup && action != ControlAction::none)
        throw_usage(
            "--setup cannot be combined with an action; give the settings to --start instead, or alone");
    if (o.setup && !o.has_settings()) throw_usage("--setup: no setting is given; see --help");
    if (o.has_settings() && action != ControlAction::none && !starts)
        throw_usage("settings can be given alone, or with --start and --start-daemon only");
    if (action == ControlAction::none && !o.has_settings())
        throw_usage("nothing to do: give an action or a setting; see --help");
    if (o.module && action != ControlAction::init) throw_usage("--module can be given with --init only");
    if (o.model && action != ControlAction::init) throw_usage("--model can be given with --init only");
    if (o.model && !collect::is_driver_model(*o.model))
        throw_usage("--model=" + printable(*o.model) + ": not one of " + collect::driver_model_names());
    if (o.timer_period && *o.timer_period > longest_timer_period)
        throw_usage("--timer-period=" + std::to_string(*o.timer_period) + ": from 1 to " +
                    std::to_string(longest_timer_period) + " microseconds, or 0 for the event's count");
    if (o.xml && action != ControlAction::list_events)
        throw_usage("--xml can be given with --list-events only");
    if (o.is_verbose && !starts) throw_usage("--verbose can be given with --start and --start-daemon only");
    for (const std::string& word : o.verbose)
        if (std::ranges::find(verbose_words, word) == std::end(verbose_words))
            throw_usage("--verbose=" + printable(word) +
                        ": not one of all, sfile, arcs, samples, module, misc, ext");
    return action;
}

}  // namespace op::tool
