// SPDX-License-Identifier: GPL-2.0-or-later
// opreport: which applications, images and symbols the samples are in. Options and the order of the steps;
// the steps themselves are libpp's.
#include <algorithm>
#include <optional>

#include "libop/error.h"
#include "libop/ledger.h"
#include "libop/text.h"
#include "libpp/exporter.h"
#include "libpp/report.h"
#include "libpp/sample_set.h"
#include "libpp/writer.h"
#include "utils/export_profile.h"
#include "utils/load_profile.h"
#include "utils/output.h"
#include "utils/report_options.h"

namespace op::tool {
namespace {

struct Options {
    CommonOptions common;
    ShowOptions show;
    pp::ReportOptions report;
    bool symbols = false, callgraph = false, inlines = false, exclude_dependent = false, no_heads = false,
         xml = false;
    std::vector<std::string> merge, sort;
    std::string demangle = "normal", format, output_file, output_dir;
    const pp::Exporter* exporter = nullptr;  ///< if the format is one of another program's profiles
};

CommandSyntax syntax(Options& o) {
    CommandSyntax s;
    s.synopsis = "[PROFILE SPECIFICATION...] [{ SPECIFICATION... } { SPECIFICATION... }]";
    s.options = {
        {"symbols", 'l', &o.symbols, "list symbols instead of images"},
        {"callgraph", 'c', &o.callgraph, "list each function with its callers and callees"},
        {"details", 'd', &o.report.details, "list each symbol with its sampled addresses"},
        {"debug-info", 'g', &o.report.debug_info, "add source file and line (needs -l)"},
        {"inline", 0, &o.inlines, "tell inlined functions from those they are inlined into (needs -l)"},
        {"show-address", 'w', &o.report.addresses, "add the address of symbols (needs -l)"},
        {"accumulated", 'a', &o.report.accumulated, "add cumulative counts (needs -l)"},
        {"global-percent", '%', &o.report.global_percent,
         "shares of everything, not of the application, symbol or function"},
        {"sort", 's', &o.sort, "sort keys: sample, image, app-name, symbol, debug, vma", "KEY,..."},
        {"reverse-sort", 'r', &o.report.reverse, "sort the other way round"},
        {"merge", 'm', &o.merge, "sum over: cpu, tid, tgid, unitmask, lib, all", "WHAT,..."},
        {"exclude-dependent", 'x', &o.exclude_dependent, "only samples in the application's own image"},
        {"exclude-symbols", 'e', &o.report.exclude_symbols, "leave out these symbols (needs -l)", "NAME,..."},
        {"include-symbols", 'i', &o.report.include_symbols, "only these symbols (needs -l)", "NAME,..."},
        {"demangle", 'D', &o.demangle, "C++ names: none, normal or smart", "HOW"},
        {"long-filenames", 'f', &o.report.long_names, "full paths"},
        {"no-header", 'n', &o.no_heads, "no banner, no column heads"},
        {"xml", 'X', &o.xml, "symbols by application as XML (--format=xml)"},
        {"format", 0, &o.format, "text, json, csv or xml; profiles for other programs: callgrind, pprof",
         "FORMAT"},
        {"output-file", 'o', &o.output_file, "write the report to a file", "FILE"},
        {"output-dir", 0, &o.output_dir, "write a profile for each application (callgrind, pprof)", "DIR"},
    };
    for (const auto& rows : {o.show.table(), o.common.table()})
        s.options.insert(s.options.end(), rows.begin(), rows.end());
    return s;
}

bool has(const std::vector<std::string>& words, const char* word) {
    return std::ranges::find(words, word) != words.end();
}

/// --callgraph and --details list symbols, exported profiles hold all of these.
void settle_implied(Options& o) {
    o.exporter = pp::find_exporter(o.format);
    o.symbols |= o.callgraph || o.report.details || o.exporter;
    o.report.addresses |= o.report.details;
}

const pp::Writer& writer_for(const Options& o) {
    const std::string format = !o.format.empty() ? o.format : o.xml ? "xml" : "text";
    const pp::Writer* const writer = pp::find_writer(format);
    if (writer) return *writer;
    std::string known;
    for (const auto& one : pp::writers())
        known += (known.empty() ? "" : ", ") + std::string(one.name);
    for (const auto& one : pp::exporters())
        known += ", " + std::string(one.name);
    throw_usage("--format=" + o.format + ": not one of " + known);
}

/// What a writer by application cannot show.
void add_format_conflicts(const Options& o, bool is_differential, std::vector<std::string>& found) {
    const pp::Writer& writer = writer_for(o);
    const std::string format = " is not for --format=" + std::string(writer.name);
    if (o.xml && writer.name != "xml") found.push_back("--xml" + format);
    if (!writer.is_by_application) return;
    if (is_differential) found.push_back("{ } { }" + format);
    if (o.report.accumulated) found.push_back("--accumulated" + format);
    if (o.report.global_percent) found.push_back("--global-percent" + format);
}

/// What is wrong with the combination of options; empty if nothing is.
std::vector<std::string> conflicts(const Options& o, bool is_differential) {
    std::vector<std::string> found;
    const auto need_symbols = [&](bool is_given, const char* option) {
        if (is_given && !o.symbols) found.push_back(std::string(option) + " needs --symbols");
    };
    need_symbols(o.report.debug_info, "--debug-info");
    need_symbols(o.inlines, "--inline");
    need_symbols(o.report.addresses, "--show-address");
    need_symbols(o.report.accumulated, "--accumulated");
    need_symbols(!o.report.exclude_symbols.empty(), "--exclude-symbols");
    need_symbols(!o.report.include_symbols.empty(), "--include-symbols");
    need_symbols(has(o.sort, "vma"), "--sort=vma");
    if (o.callgraph && o.report.details) found.push_back("--callgraph and --details exclude each other");
    if (is_differential && (o.callgraph || o.report.details))
        found.push_back("two profiles are compared by symbols: without --callgraph and --details");
    else if (is_differential)
        need_symbols(true, "{ } { }");
    if (o.report.global_percent && o.symbols && !o.callgraph && !o.report.details)
        found.push_back("--global-percent is of no use with --symbols: shares are of everything already");
    if (!o.output_dir.empty()) found.push_back("--output-dir needs --format=callgrind or --format=pprof");
    if (o.exclude_dependent && (has(o.merge, "lib") || has(o.merge, "library")))
        found.push_back("--merge=lib and --exclude-dependent exclude each other");
    add_format_conflicts(o, is_differential, found);
    return found;
}

/// The same for an exported profile: it holds every sample, in no order, so what only chooses and arranges
/// rows is a mistake; what it holds anyway (-c, -d, -f, -g, -l, -w, pprof: --inline) is none.
std::vector<std::string> export_conflicts(const Options& o, bool is_differential) {
    std::vector<std::string> found;
    const std::string format = "--format=" + o.format;
    const auto refuse = [&](bool is_given, const char* option) {
        if (is_given) found.push_back(format + " holds every sample: without " + option);
    };
    refuse(is_differential, "{ } { }");
    refuse(o.xml, "--xml");
    refuse(!o.common.threshold.empty(), "--threshold");
    refuse(!o.report.exclude_symbols.empty(), "--exclude-symbols");
    refuse(!o.report.include_symbols.empty(), "--include-symbols");
    refuse(!o.sort.empty(), "--sort");
    refuse(o.report.reverse, "--reverse-sort");
    refuse(o.report.accumulated, "--accumulated");
    refuse(o.report.global_percent, "--global-percent");
    if (o.inlines && !o.exporter->has_inlines)
        found.push_back(format + " has a place for the lines of inlined functions only: without --inline");
    if (!o.output_file.empty() && !o.output_dir.empty())
        found.push_back("--output-file and --output-dir exclude each other");
    return found;
}

/// A writer by application has symbols, in an order of its own.
void settle_by_application(Options& o, Diagnostics& notes) {
    if (!o.sort.empty() || o.report.reverse)
        notes.warn("--sort and --reverse-sort are ignored: this format is sorted by application and image");
    o.symbols = true;
    o.report.sort = {pp::SortKey::app_name, pp::SortKey::image};
    o.report.reverse = false;
}

/// The `session:` words' values, as given.
std::vector<std::string> given_sessions(const std::vector<std::string>& words) {
    constexpr std::string_view tag = "session:";
    std::vector<std::string> sessions;
    for (const auto& word : words)
        if (word.starts_with(tag)) sessions.push_back(word.substr(tag.size()));
    return sessions;
}

pp::ReportRequest request_of(const Options& o, const std::vector<std::string>& words, const Tool& tool,
                             std::span<char*> arguments) {
    pp::ReportRequest request{tool.name,
                              given_sessions(words),
                              o.common.image_paths,
                              o.merge,
                              o.report.include_symbols,
                              o.report.exclude_symbols,
                              o.report.debug_info,
                              o.report.details,
                              o.exclude_dependent};
    for (const char* const argument : arguments)
        request.command += std::string(" ") + argument;
    return request;
}

void settle(Options& o, Diagnostics& notes) {
    o.common.check();
    o.show.check();
    o.report.heads = !o.no_heads;
    o.report.long_names |= !o.exporter && !writer_for(o).is_for_people;
    o.report.threshold = parse_threshold(o.common.threshold);
    o.report.demangle = parse_demangle(o.demangle);
    o.report.sort = pp::parse_sort_keys(o.sort);
    if (!o.exporter && writer_for(o).is_by_application) settle_by_application(o, notes);
}

/// --verbose=sfile: what was selected and how it was arranged.
void describe_selection(const LoadedProfile& loaded) {
    const OpenedSessions& opened = loaded.opened();
    const auto& files = loaded.files();
    const pp::ProfileClasses& classes = loaded.classes();
    std::string text =
        "archive: " + opened.spec.archive + "\nmatched sample files: " + std::to_string(files.size()) + "\n";
    for (const auto& file : files)
        text += opened.sessions[file.session].path() + "/" + file.path + "\n";
    text += "classes:\n";
    for (const auto& one : classes.classes)
        text += "  " + one.short_name(classes.axis) + " unit mask " + std::to_string(one.unit_mask) + "\n";
    text += "images:\n";
    for (const auto& image : classes.images)
        for (const auto& part : image.parts)
            text += "  " + image.image.display() + " of " + part.app.display() + ", " +
                    std::to_string(part.files.size()) + " files\n";
    std::string safe;
    for (std::string_view rest = text; !rest.empty();)
        safe += printable(take_line(rest)) + "\n";
    write_stdout(safe);
}

void warn_if_empty(const pp::SymbolReport& report, Diagnostics& notes) {
    if (report.rows.empty())
        notes.warn(
            "nothing to show: no symbol with samples passes --include-symbols, --exclude-symbols and "
            "--threshold");
}

/// Chains break in code without frame pointers; a graph with holes should not look whole.
void warn_of_lost_arcs(const std::optional<SessionInfo>& info, Diagnostics& notes) {
    if (!info || info->arcs_lost <= info->arcs_stored / 100) return;
    notes.warn(
        std::to_string(info->arcs_lost) + " of " +
        std::to_string(add_saturating(info->arcs_lost, info->arcs_stored)) +
        " calls were lost, their callers being in no known code; compile with -fno-omit-frame-pointer");
}

/// Tells what is wrong with the calls, if there should be any.
void warn_of_calls(const Options& o, LoadedProfile& loaded) {
    Diagnostics& notes = loaded.samples().notes();
    const bool has_calls = !loaded.profile().arcs.empty();
    if (o.callgraph && !has_calls) notes.warn("no call graph was recorded; profile with --callgraph");
    if (o.callgraph || has_calls) warn_of_lost_arcs(loaded.opened().info, notes);
}

/// What an exported profile is made of: the calls, too, and processes, threads and CPUs apart as far as there
/// is a place for them.
LoadOptions load_for_report(const Options& o) {
    LoadOptions load{{o.exclude_dependent, o.callgraph}, pp::parse_merge(o.merge)};
    load.wants_lines = o.report.debug_info || o.inlines;
    if (o.inlines) load.split = pp::SplitOptions{.with_calls = o.callgraph};
    load.may_differ_in_several = writer_for(o).is_by_application;
    return load;
}

LoadOptions load_for_export(const Options& o) {
    LoadOptions load{{o.exclude_dependent, true}, pp::parse_merge(o.merge)};
    load.may_differ_in_several = true;
    if (o.exporter->tells_apart) return load;
    load.merge.cpu = true;
    load.merge.tid |= o.output_dir.empty();
    load.merge.tgid |= o.output_dir.empty();
    return load;
}

void export_to_files(const Options& o, LoadedProfile& loaded, Tool& tool) {
    const pp::Profile& profile = loaded.profile();
    warn_of_calls(o, loaded);
    tool.print_notes();
    const auto& info = loaded.opened().info;
    export_profile(*o.exporter, profile, {info ? &*info : nullptr, o.report.demangle},
                   {o.output_file, o.output_dir});
}

pp::Report report_on(const Options& o, LoadedProfile& loaded) {
    Diagnostics& notes = loaded.samples().notes();
    if (!o.symbols) {
        const auto totals = image_totals(loaded.classes(), loaded.samples());
        auto report = report_images(totals, loaded.head(o.report), o.report);
        if (report.rows.empty()) notes.warn("nothing to show: no application reaches --threshold");
        return report;
    }
    const pp::Profile& profile = loaded.profile();
    if (o.callgraph) {
        warn_of_calls(o, loaded);
        return report_callgraph(profile, loaded.head(o.report), o.report);
    }
    auto report = report_symbols(profile, loaded.head(o.report), o.report);
    warn_if_empty(report, notes);
    return report;
}

pp::Report report_on_difference(const Options& o, LoadedProfile& before, LoadedProfile& after) {
    pp::ReportOptions all = o.report;
    all.threshold = 0;
    const auto side = [&](LoadedProfile& loaded) {
        const pp::Profile& profile = loaded.profile();
        return report_symbols(profile, loaded.head(o.report), all);
    };
    const auto first = side(before), second = side(after);
    auto report = report_difference(first, second, o.report);
    warn_if_empty(report, after.samples().notes());
    return report;
}

int opreport(Tool& tool, int argc, char** argv) {
    Options o;
    const ParsedOptions parsed = parse_options(argc, argv, syntax(o));
    if (parsed.exit_status) return *parsed.exit_status;
    settle_implied(o);
    const pp::ProfileWords words = pp::split_differential(parsed.words);
    const bool is_differential = words.second.has_value();
    const auto wrong = o.exporter ? export_conflicts(o, is_differential) : conflicts(o, is_differential);
    for (const auto& text : wrong)
        tool.complain(text);
    if (!wrong.empty()) return 1;
    settle(o, tool.notes);
    o.report.request =
        request_of(o, words.first, tool, std::span(argv, static_cast<size_t>(argc)).subspan(1));
    const LoadOptions load = o.exporter ? load_for_export(o) : load_for_report(o);

    LoadedProfile loaded(o.common, words.first, load, tool);
    std::optional<LoadedProfile> other;
    if (words.second) other.emplace(o.common, *words.second, load, tool);
    if (o.common.says("sfile")) describe_selection(loaded);
    if (o.exporter) {
        export_to_files(o, loaded, tool);
        return 0;
    }
    const pp::Report report = other ? report_on_difference(o, loaded, *other) : report_on(o, loaded);
    const bool is_for_people = writer_for(o).is_for_people;
    const std::string text = is_for_people ? write_styled_text(report, text_style(o.show, o.output_file))
                                           : writer_for(o).write(report);
    tool.print_notes();
    if (is_for_people)
        show_output(o.show, o.output_file, text);
    else
        write_output(o.output_file, text);
    return 0;
}

}  // namespace
}  // namespace op::tool

int main(int argc, char** argv) {
    return op::tool::run(argc, argv, op::tool::opreport);
}
