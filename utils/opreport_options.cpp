// SPDX-License-Identifier: GPL-2.0-or-later
// opreport's options.
#include "utils/opreport_options.h"

#include <algorithm>

#include "libop/base/counted.h"
#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libop/events/event_table.h"
#include "libpp/page/write_page.h"

namespace op::tool {

namespace {

constexpr double default_tree_threshold = 0.5;  // percent
constexpr const char* significant_alone = "--significant needs two profiles to compare, { } { }";

bool has(const std::vector<std::string>& words, const char* word) {
    return std::ranges::find(words, word) != words.end();
}

/// The names of a table's formats, joined.
template <class Formats>
std::string list_of(const Formats& formats, const std::string& prefix = "") {
    std::vector<std::string> names;
    for (const auto& one : formats)
        names.push_back(prefix + std::string(one.name));
    return joined(names);
}

/// What a writer by application cannot show.
void add_format_conflicts(const ReportCommandOptions& o, bool is_differential,
                          std::vector<std::string>& found) {
    const pp::Writer& writer = o.writer();
    const std::string format = " is not for --format=" + std::string(writer.name);
    if (o.xml && writer.name != "xml") found.push_back("--xml" + format);
    if (!writer.is_by_application) return;
    if (is_differential) found.push_back("{ } { }" + format);
    if (o.report.accumulated) found.push_back("--accumulated" + format);
    if (o.report.intervals) found.push_back("--interval" + format);
    if (o.report.global_percent) found.push_back("--global-percent" + format);
    if (o.report.inclusive) found.push_back("--inclusive" + format);
}

/// What the tree of calls has no place for.
void add_tree_conflicts(const ReportCommandOptions& o, bool is_differential,
                        std::vector<std::string>& found) {
    const auto refuse = [&](bool is_given, const char* option) {
        if (is_given) found.push_back(std::string("--call-tree and ") + option + " exclude each other");
    };
    if (!o.writer().has_trees)
        found.push_back(
            "--call-tree is for --format=text, json or markdown; for programs that draw stacks there are "
            "--format=folded and --format=speedscope");
    if (o.call_tree_root && !o.call_tree_root->empty() && !o.is_call_tree_by_callee())
        found.push_back("--call-tree=" + *o.call_tree_root + ": give --call-tree or --call-tree=callers");
    if (o.report.significant && !is_differential) found.push_back(significant_alone);
    refuse(o.callgraph, "--callgraph");
    refuse(o.report.details, "--details");
    refuse(o.report.debug_info, "--debug-info");
    refuse(o.report.addresses && !o.report.details, "--show-address");  // which --details implies
    refuse(o.report.accumulated, "--accumulated");
    refuse(o.report.global_percent, "--global-percent");
    refuse(!o.sort.empty(), "--sort");
    refuse(o.sort_column.has_value(), "--sort-column");
    refuse(o.report.reverse, "--reverse-sort");
    refuse(o.report.inclusive, "--inclusive");
}

std::vector<std::string> report_conflicts(const ReportCommandOptions& o, bool is_differential) {
    std::vector<std::string> found;
    if (o.call_tree) {
        add_tree_conflicts(o, is_differential, found);
        return found;
    }
    if (o.report.depth) found.push_back("--depth needs --call-tree");
    if (o.report.significant && !is_differential) found.push_back(significant_alone);
    const bool is_by_application = o.writer().is_by_application;  // which refuses some for itself, below
    const auto need_symbols = [&](bool is_given, const char* option) {
        if (is_given && !o.symbols) found.push_back(std::string(option) + " needs --symbols");
    };
    need_symbols(o.report.addresses, "--show-address");
    need_symbols(o.report.accumulated && !is_by_application, "--accumulated");
    need_symbols(!o.report.exclude_symbols.empty(), "--exclude-symbols");
    need_symbols(!o.report.include_symbols.empty(), "--include-symbols");
    need_symbols(has(o.sort, "vma"), "--sort=vma");
    const auto refuse_with_inclusive = [&](bool is_given, const char* option) {
        if (o.report.inclusive && is_given)
            found.push_back(std::string("--inclusive and ") + option + " exclude each other");
    };
    refuse_with_inclusive(is_differential, "{ } { }");
    refuse_with_inclusive(o.callgraph, "--callgraph");
    refuse_with_inclusive(o.report.details, "--details");
    refuse_with_inclusive(o.report.accumulated, "--accumulated");
    if (o.report.details && has(o.merge, "build"))
        found.push_back("--details and --merge=build exclude each other: addresses are those of one file");
    if (o.callgraph && o.report.details) found.push_back("--callgraph and --details exclude each other");
    if (is_differential && (o.callgraph || o.report.details))
        found.push_back(
            "two profiles are compared by symbols or by --call-tree: without --callgraph and --details");
    else if (!is_by_application)
        need_symbols(is_differential, "{ } { }");
    if (o.report.global_percent && o.symbols && !o.callgraph && !o.report.details)
        found.push_back("--global-percent is of no use with --symbols: shares are of everything already");
    if (!o.output_dir.empty())
        found.push_back("--output-dir needs one of " + list_of(pp::exporters(), "--format="));
    if (o.exclude_dependent && (has(o.merge, "lib") || has(o.merge, "library")))
        found.push_back("--merge=lib and --exclude-dependent exclude each other");
    add_format_conflicts(o, is_differential, found);
    return found;
}

/// The conflicts of an exported profile. It contains every sample, in no order, so options that only choose
/// and arrange rows conflict; options for what it always contains (-c, -d, -f, -g, -l, -w, pprof: --inline)
/// are accepted.
std::vector<std::string> export_conflicts(const ReportCommandOptions& o, bool is_differential) {
    std::vector<std::string> found;
    const std::string format = "--format=" + o.format;
    const auto refuse = [&](bool is_given, const char* option) {
        if (is_given) found.push_back(format + " holds every sample: without " + option);
    };
    refuse(is_differential, "{ } { }");
    refuse(o.xml, "--xml");
    refuse(o.call_tree, "--call-tree");
    refuse(o.report.depth.has_value(), "--depth");
    refuse(o.report.inclusive, "--inclusive");
    refuse(!o.common.threshold.empty(), "--threshold");
    refuse(!o.report.exclude_symbols.empty(), "--exclude-symbols");
    refuse(!o.report.include_symbols.empty(), "--include-symbols");
    refuse(!o.sort.empty(), "--sort");
    refuse(o.sort_column.has_value(), "--sort-column");
    refuse(o.report.reverse, "--reverse-sort");
    refuse(o.report.accumulated, "--accumulated");
    refuse(o.report.global_percent, "--global-percent");
    refuse(o.report.intervals, "--interval");
    refuse(o.report.significant, "--significant");
    if (has(o.merge, "build"))
        found.push_back(format + " has the files that addresses are in: without --merge=build");
    if (o.inlines && !o.exporter->has_inlines && !o.exporter->has_only_stacks)
        found.push_back(format + " has a place for the lines of inlined functions only: without --inline");
    if (!o.output_file.empty() && !o.output_dir.empty())
        found.push_back("--output-file and --output-dir exclude each other");
    return found;
}

/// The conflicts of `what`, which chooses and arranges no rows: the page has every sample and does that
/// itself,
/// --session-info has none.
std::vector<std::string> conflicts_without_rows(const ReportCommandOptions& o, const std::string& what) {
    std::vector<std::string> found;
    const auto refuse = [&](bool is_given, const char* option) {
        if (is_given) found.push_back(what + " and " + option + " exclude each other");
    };
    refuse(!o.format.empty(), "--format");
    refuse(o.xml, "--xml");
    refuse(o.callgraph, "--callgraph");
    refuse(o.call_tree, "--call-tree");
    refuse(o.report.depth.has_value(), "--depth");
    refuse(o.report.details, "--details");
    refuse(o.report.inclusive, "--inclusive");
    refuse(o.report.accumulated, "--accumulated");
    refuse(o.report.intervals, "--interval");
    refuse(o.report.significant, "--significant");
    refuse(o.report.global_percent, "--global-percent");
    refuse(!o.report.exclude_symbols.empty(), "--exclude-symbols");
    refuse(!o.report.include_symbols.empty(), "--include-symbols");
    refuse(!o.sort.empty(), "--sort");
    refuse(o.sort_column.has_value(), "--sort-column");
    refuse(o.report.reverse, "--reverse-sort");
    refuse(!o.by.empty(), "--by");
    refuse(!o.diff.empty(), "--diff");
    refuse(!o.unit.empty(), "--unit");
    refuse(!o.output_file.empty(), "--output-file");
    refuse(!o.output_dir.empty(), "--output-dir");
    return found;
}

/// The value of --html-size: bytes, or with K or M behind it thousands or millions. Throws a usage error that
/// names the least.
uint64_t parse_page_size(const std::string& text) {
    const uint64_t unit = text.ends_with('K') ? 1000 : text.ends_with('M') ? 1'000'000 : 1;
    const std::optional<uint64_t> size = parse_number(text.substr(0, text.size() - (unit > 1 ? 1 : 0)));
    if (!size || *size > UINT64_MAX / unit || *size * unit < pp::least_page_size)
        throw_usage("--html-size=" + text + ": must be a number of bytes, at least " +
                    std::to_string(pp::least_page_size) + ", as 300000, 300K or 5M");
    return *size * unit;
}

/// A writer by application has symbols, in an order of its own.
void settle_by_application(ReportCommandOptions& o, Diagnostics& notes) {
    if (!o.sort.empty() || o.report.reverse)
        notes.warn("--sort and --reverse-sort are ignored: this format is sorted by application and image");
    o.symbols = true;
    o.report.sort = {pp::SortKey::app_name, pp::SortKey::image};
    o.report.reverse = false;
}

}  // namespace

CommandSyntax ReportCommandOptions::syntax() {
    format_help = list_of(pp::writers()) + "; profiles for other programs: " + list_of(pp::exporters());
    output_dir_help = "write a profile for each application (" + list_of(pp::exporters()) + ")";
    CommandSyntax s;
    s.synopsis = "[PROFILE SPECIFICATION...] [{ SPECIFICATION... } { SPECIFICATION... }]";
    s.options = {
        {"symbols", 'l', &symbols, "list symbols instead of images"},
        {"callgraph", 'c', &callgraph, "list each function with its callers and callees"},
        {"call-tree", 0, &call_tree_root,
         "list what calls what, from the applications down, or from the sampled functions up to their "
         "callers",
         "callers", &call_tree},
        {"depth", 0, &report.depth, "with --call-tree: only so many calls deep", "NUMBER"},
        {"details", 'd', &report.details, "list each symbol with its sampled addresses"},
        {"debug-info", 'g', &report.debug_info, "list symbols with source file and line"},
        {"inline", 0, &inlines, "list symbols, inlined functions apart from those they are inlined into"},
        {"inclusive", 0, &report.inclusive,
         "list symbols with the samples in them and in all that they call, most first"},
        {"interval", 0, &report.intervals, "add the 95 % intervals of shares, as +- half of their width"},
        {"significant", 0, &report.significant, "of { } { }, list only changes that are more than chance"},
        {"unit", 0, &unit, "counts of a clock's event: samples (the default) or ms, milliseconds",
         "samples|ms"},
        {"diff", 0, &diff,
         "of { } { }, list changes of samples and time (the default on a terminal), or of shares",
         "change|shares"},
        {"by", 0, &by, "of { } { }, test what sessions (the default) or hosts differ in: session or host",
         "session|host"},
        {"show-address", 'w', &report.addresses, "add the address of symbols (needs -l)"},
        {"accumulated", 'a', &report.accumulated, "add cumulative counts (needs -l)"},
        {"global-percent", '%', &report.global_percent,
         "shares of everything, not of the application, symbol or function"},
        {"sort", 's', &sort, "sort keys: sample, image, app-name, symbol, debug, vma", "KEY,..."},
        {"sort-column", 0, &sort_column,
         "sort by that column of several, from 1 on; else by the first event, or by all threads or CPUs",
         "NUMBER"},
        {"reverse-sort", 'r', &report.reverse, "sort the other way round"},
        {"merge", 'm', &merge, "sum over: cpu, tid, tgid, unitmask, lib, build, all", "WHAT,..."},
        {"exclude-dependent", 'x', &exclude_dependent, "only samples in the application's own image"},
        {"exclude-symbols", 'e', &report.exclude_symbols, "leave out these symbols (needs -l)", "NAME,..."},
        {"include-symbols", 'i', &report.include_symbols, "only these symbols (needs -l)", "NAME,..."},
        {"long-filenames", 'f', &report.long_names, "full paths"},
        {"no-header", 'n', &no_heads, "no banner, no column heads"},
        {"session-info", 0, &session_info,
         "print no samples, but where, when and how the sessions were recorded, and all notes"},
        {"xml", 'X', &xml, "symbols by application as XML (--format=xml)"},
        {"format", 0, &format, format_help.c_str(), "FORMAT"},
        {"html", 0, &html,
         "write a page for a browser: flame graph, functions, source, search; of { } { } too", "FILE"},
        {"html-size", 0, &html_size, "with --html: the most that the page may have (5M)", "BYTES"},
        {"output-file", 'o', &output_file, "write the report to a file", "FILE"},
        {"output-dir", 0, &output_dir, output_dir_help.c_str(), "DIR"},
    };
    for (const auto& rows : {demangle.table(), show.table(), common.table()})
        s.options.insert(s.options.end(), rows.begin(), rows.end());
    return s;
}

void ReportCommandOptions::settle_implied() {
    exporter = pp::find_exporter(format);
    symbols |= callgraph || call_tree || report.details || report.debug_info || inlines || report.inclusive ||
               exporter || is_page();
    report.addresses |= report.details;
}

const pp::Writer& ReportCommandOptions::writer() const {
    const pp::Writer* const found = pp::find_writer(!format.empty() ? format : xml ? "xml" : "text");
    if (found) return *found;
    throw_usage("--format=" + format + ": not one of " + list_of(pp::writers()) + ", " +
                list_of(pp::exporters()));
}

bool ReportCommandOptions::has_default_threshold() const {
    return call_tree && !exporter && writer().is_for_people && common.threshold.empty();
}

bool ReportCommandOptions::joins_builds() const {
    return !report.details && (has(merge, "build") || has(merge, "all"));
}

std::vector<std::string> ReportCommandOptions::conflicts(bool is_differential) const {
    if (session_info) {
        std::vector<std::string> found = conflicts_without_rows(*this, "--session-info");
        if (is_page()) found.emplace_back("--session-info and --html exclude each other");
        return found;
    }
    if (is_page()) return conflicts_without_rows(*this, "--html");
    std::vector<std::string> found =
        exporter ? export_conflicts(*this, is_differential) : report_conflicts(*this, is_differential);
    if (!html_size.empty()) found.emplace_back("--html-size needs --html");
    if (!by.empty() && !is_differential) found.emplace_back("--by needs { } { }: it is for comparisons");
    if (!diff.empty() && !is_differential) found.emplace_back("--diff needs { } { }: it is for comparisons");
    if (!unit.empty() && (exporter || !writer().is_for_people))
        found.emplace_back(
            "--unit is for text and Markdown; other formats have samples and their event's count");
    if (diff == "change" && (call_tree || is_page() || exporter || !writer().fits_terminals))
        found.emplace_back(
            "--diff=change is for lists of symbols as text; --format=json and --format=csv have the samples "
            "of both sides in any case");
    if (diff == "change" && report.accumulated)
        found.emplace_back("--diff=change and --accumulated exclude each other");
    if (diff == "change" && report.intervals)
        found.emplace_back("--diff=change and --interval exclude each other");
    return found;
}

void ReportCommandOptions::settle(Diagnostics& notes) {
    common.check();
    common.notes_all = session_info;
    show.check();
    if (!by.empty() && by != "session" && by != "host")
        throw_usage("--by=" + by + ": must be session or host");
    if (!diff.empty() && diff != "change" && diff != "shares")
        throw_usage("--diff=" + diff + ": must be change or shares");
    if (!unit.empty() && unit != "samples" && unit != "ms")
        throw_usage("--unit=" + unit + ": must be samples or ms");
    report.heads = !no_heads;
    report.long_names |= !exporter && !writer().is_for_people;
    report.threshold = has_default_threshold() ? default_tree_threshold : parse_threshold(common.threshold);
    report.folds_recursion = call_tree && !exporter && writer().is_for_people;
    report.sort = pp::parse_sort_keys(sort);
    if (!html_size.empty()) page_size = parse_page_size(html_size);
    if (!exporter && writer().is_by_application) settle_by_application(*this, notes);
}

void ReportCommandOptions::settle_sort_column(pp::Axis axis, size_t columns) {
    if (sort_column && (*sort_column == 0 || *sort_column > columns))
        throw_usage("--sort-column=" + std::to_string(*sort_column) + ": the report has " +
                    counted(columns, "column") + " of samples");
    // Samples of different events make no sum.
    if (sort_column)
        report.sort_column = {*sort_column - 1, true};
    else if (axis != pp::Axis::event && axis != pp::Axis::several)
        report.sort_column.number.reset();
}

void ReportCommandOptions::settle_unit(std::span<const pp::ProfileClass> columns) {
    report.shows_time = unit == "ms";
    for (const pp::ProfileClass& column : columns)
        if (report.shows_time && !is_clock(column.event))
            throw_usage("--unit=ms: samples of " + printable(column.event) +
                        " are no time; those of TIMER, cpu-clock and task-clock are");
}

void ReportCommandOptions::settle_diff(bool is_for_terminal) {
    const bool has_choice = !call_tree && !exporter && !is_page() && writer().fits_terminals;
    const bool asks_for_shares = report.accumulated || report.intervals;
    report.compares_counts =
        diff.empty() ? has_choice && is_for_terminal && !asks_for_shares : diff == "change";
}

}  // namespace op::tool
