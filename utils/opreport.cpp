// SPDX-License-Identifier: GPL-2.0-or-later
// opreport: which applications, images and symbols the samples are in. The order of the steps; the steps
// themselves are libpp's.
#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "libop/base/counted.h"
#include "libop/base/error.h"
#include "libop/base/nearest.h"
#include "libop/base/text.h"
#include "libop/session/ledger.h"
#include "libpp/export/exporter.h"
#include "libpp/profile/sample_set.h"
#include "libpp/report/report.h"
#include "libpp/report/symbol_rows.h"
#include "libpp/report/writer.h"
#include "utils/export_profile.h"
#include "utils/load_profile.h"
#include "utils/opreport_options.h"
#include "utils/profile_page.h"
#include "utils/session_overview.h"
#include "utils/shared/output.h"

namespace op::tool {
namespace {

/// The `session:` words' values, as given.
std::vector<std::string> given_sessions(const std::vector<std::string>& words) {
    constexpr std::string_view tag = "session:";
    std::vector<std::string> sessions;
    for (const auto& word : words)
        if (word.starts_with(tag)) sessions.push_back(word.substr(tag.size()));
    return sessions;
}

pp::ReportRequest request_of(const ReportCommandOptions& o, const std::vector<std::string>& words,
                             const Tool& tool, std::span<char*> arguments) {
    pp::ReportRequest request{.command = tool.name,
                              .sessions = given_sessions(words),
                              .image_paths = o.common.image_paths,
                              .merge = o.merge,
                              .include_symbols = o.report.include_symbols,
                              .exclude_symbols = o.report.exclude_symbols,
                              .debug_info = o.report.debug_info,
                              .details = o.report.details,
                              .exclude_dependent = o.exclude_dependent};
    for (const char* const argument : arguments)
        request.command += std::string(" ") + argument;
    return request;
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
                    counted(part.files.size(), "file") + "\n";
    std::string safe;
    for (std::string_view rest = text; !rest.empty();)
        safe += printable(take_line(rest)) + "\n";
    write_stdout(safe);
}

void explain_empty(Diagnostics& notes, const std::string& why) {
    notes.conclude("nothing to show: " + why);
}

/// `profiles` have the names that may have been meant.
void warn_of_no_symbols(const ReportCommandOptions& o, std::span<const pp::Profile* const> profiles,
                        Diagnostics& notes) {
    const bool may_be_inlined = !o.inlines && !o.report.include_symbols.empty();
    std::string alike;
    if (o.report.include_symbols.size() == 1) {
        std::vector<std::string> names;
        for (const pp::Profile* const profile : profiles)
            for (const std::string& name : bare_names(*profile, o.report))
                names.push_back(printable(name));
        alike = did_you_mean(nearest_names(o.report.include_symbols.front(), names));
    }
    explain_empty(
        notes,
        std::string("no symbol with samples passes --include-symbols, --exclude-symbols and --threshold") +
            (may_be_inlined ? "; functions that were inlined everywhere are found with --inline" : "") +
            alike);
}

/// Chains break in code without frame pointers; a graph with holes should not look whole.
void warn_of_lost_arcs(const std::optional<SessionInfo>& info, Diagnostics& notes) {
    if (!info || info->arcs_lost <= info->arcs_stored / 100) return;
    notes.warn(std::to_string(info->arcs_lost) + " of " +
               counted(add_saturating(info->arcs_lost, info->arcs_stored), "call") +
               (info->arcs_lost == 1 ? " was" : " were") +
               " lost because their callers are in no known code; compile with -fno-omit-frame-pointer");
}

/// The reason why no calls are shown; empty if they were lost, which warn_of_lost_arcs() reports.
std::string why_no_calls(const std::optional<SessionInfo>& info) {
    if (info && info->arcs_stored > 0) return "what is selected has no calls; others were recorded";
    if (info && info->arcs_lost > 0) return "";
    return "this session has no call stacks, so that each function is shown without callers and callees; "
           "record "
           "them with operf --callgraph";
}

/// Warns of what is wrong with the calls where a call graph is wanted.
void warn_of_calls(const ReportCommandOptions& o, LoadedProfile& loaded) {
    if (loaded.has_stacks()) return;
    Diagnostics& notes = loaded.samples().notes();
    const bool has_calls = !loaded.profile().arcs.empty();
    const auto& info = loaded.opened().info;
    if (const std::string note = why_no_calls(info); o.callgraph && !has_calls && !note.empty())
        notes.warn(note);
    if (o.callgraph || has_calls) warn_of_lost_arcs(info, notes);
}

/// Throws a usage error unless some session has call stacks.
void require_stacks(const LoadedProfile& loaded) {
    if (loaded.has_stacks()) return;
    const bool has_pairs = std::ranges::any_of(
        loaded.files(), [](const pp::SelectedFile& file) { return file.name.callee.has_value(); });
    throw_usage(has_pairs
                    ? "the session has pairs of caller and callee only, which --callgraph lists; for call "
                      "stacks profile with this version's operf --callgraph"
                    : "no call stacks were recorded: profile with operf --callgraph, or perf record -g");
}

LoadOptions load_for_report(const ReportCommandOptions& o) {
    LoadOptions load;
    load.select = {.exclude_dependent = o.exclude_dependent,
                   .callgraph = o.callgraph || o.call_tree || o.report.inclusive};
    load.merge = pp::parse_merge(o.merge, true);
    load.joins_builds = o.joins_builds();
    load.joins_unknown_code = !o.report.details;
    load.wants_lines = o.report.debug_info || o.inlines;
    if (o.inlines)
        load.split = pp::SplitOptions{.with_calls = load.select.callgraph, .with_lines = o.report.debug_info};
    load.may_differ_in_several = o.writer().is_by_application;
    return load;
}

/// What an exported profile is made of: the calls, too, and processes, threads and CPUs apart as far as there
/// is a place for them.
LoadOptions load_for_export(const ReportCommandOptions& o) {
    LoadOptions load;
    load.select = {.exclude_dependent = o.exclude_dependent, .callgraph = true};
    load.merge = pp::parse_merge(o.merge);
    load.may_differ_in_several = true;
    if (o.exporter->has_only_stacks && o.inlines) load.split = pp::SplitOptions{.with_calls = true};
    if (o.exporter->has_threads) return load;
    load.merge.cpu = true;
    load.merge.tid |= o.output_dir.empty();
    load.merge.tgid |= o.output_dir.empty();
    return load;
}

/// What the page is made of: the calls, too. Of a comparison processes, threads and CPUs are added up.
LoadOptions load_for_page(const ReportCommandOptions& o, bool is_comparison) {
    LoadOptions load;
    load.select = {.exclude_dependent = o.exclude_dependent, .callgraph = true};
    load.merge = pp::parse_merge(o.merge, true);
    if (is_comparison) load.merge.cpu = load.merge.tid = load.merge.tgid = true;
    load.joins_unknown_code = true;
    load.may_differ_in_several = true;
    if (o.inlines) load.split = pp::SplitOptions{.with_calls = true};
    return load;
}

LoadOptions load_options(const ReportCommandOptions& o, bool is_comparison) {
    if (o.is_page()) return load_for_page(o, is_comparison);
    return o.exporter ? load_for_export(o) : load_for_report(o);
}

void export_to_files(const ReportCommandOptions& o, LoadedProfile& loaded, Outside& outside, Tool& tool) {
    const pp::Profile& profile = loaded.profile();
    warn_of_calls(o, loaded);
    if (!o.exporter->has_remarks)
        for (const std::string& remark : loaded.remarks())
            tool.notes.warn(remark);
    tool.print_notes();
    const auto& info = loaded.opened().info;
    export_profile(
        *o.exporter, profile,
        {.info = info ? &*info : nullptr, .demangle = o.report.demangle, .remarks = loaded.remarks()},
        {.file = o.output_file, .dir = o.output_dir, .outside = outside});
}

pp::Report report_on(const ReportCommandOptions& o, LoadedProfile& loaded) {
    Diagnostics& notes = loaded.samples().notes();
    if (!o.symbols) {
        const auto totals = loaded.totals();
        auto report = report_images(totals, loaded.head(o.report), o.report);
        if (report.rows.empty()) explain_empty(notes, "no application reaches --threshold");
        return report;
    }
    const pp::Profile& profile = loaded.profile();
    if (o.call_tree) {
        auto report = report_call_tree(profile, loaded.head(o.report, StackLosses::apart), o.report,
                                       o.is_call_tree_by_callee());
        report.stack_losses = loaded.stack_losses();
        if (!o.has_default_threshold()) report.left_out = 0;  // the user knows
        const bool is_part = !o.report.include_symbols.empty() || !o.report.exclude_symbols.empty();
        if (report.rows.empty() && is_part) warn_of_no_symbols(o, {{&profile}}, notes);
        if (report.rows.empty() && !is_part) explain_empty(notes, "no function reaches --threshold");
        return report;
    }
    if (o.callgraph) {
        warn_of_calls(o, loaded);
        auto report = report_callgraph(profile, loaded.head(o.report), o.report);
        // A library is its own application then; scripts know both columns.
        if (loaded.classes().is_library_merged) report.columns.has_images |= report.columns.has_apps;
        if (report.blocks.empty()) warn_of_no_symbols(o, {{&profile}}, notes);
        return report;
    }
    auto report = report_symbols(profile, loaded.head(o.report), o.report);
    if (report.rows.empty()) warn_of_no_symbols(o, {{&profile}}, notes);
    return report;
}

/// The reports on both sides of a comparison, and on each session of them if there are enough to test what
/// sessions differ in.
template <class OneReport>
struct Compared {
    OneReport before, after;
    pp::SessionReports<OneReport> sessions;
};

/// `make(profile, head, options)` makes a report.
template <class OneReport, class Make>
Compared<OneReport> compared(const ReportCommandOptions& o, LoadedProfile& before, LoadedProfile& after,
                             const Make& make) {
    pp::ReportOptions all = o.report;
    all.threshold = 0;
    const pp::Profile* const both[] = {&before.profile(), &after.profile()};
    all.bare_names = included_bare_names(both, o.report);
    const auto losses = o.call_tree ? StackLosses::apart : StackLosses::in_head;
    const auto side = [&](LoadedProfile& loaded) {
        const pp::Profile& profile = loaded.profile();
        return make(profile, loaded.head(o.report, losses), all);
    };
    Compared<OneReport> result{side(before), side(after), {}};
    if (std::min(before.session_count(), after.session_count()) < pp::least_sessions) return result;
    const auto each = [&](LoadedProfile& loaded, std::vector<OneReport>& reports) {
        for (const pp::Profile& profile : loaded.session_profiles())
            reports.push_back(make(profile, {}, all));
    };
    each(before, result.sessions.before);
    each(after, result.sessions.after);
    return result;
}

constexpr const char* no_significant_change = "no change is significant";

pp::Report compare_trees(const ReportCommandOptions& o, LoadedProfile& before, LoadedProfile& after,
                         Diagnostics& notes) {
    const auto tree = [&](const pp::Profile& profile, pp::ReportHead head, const pp::ReportOptions& options) {
        return report_call_tree(profile, std::move(head), options, o.is_call_tree_by_callee());
    };
    Compared<pp::CallTreeReport> all = compared<pp::CallTreeReport>(o, before, after, tree);
    all.before.stack_losses = before.stack_losses();
    all.after.stack_losses = after.stack_losses();
    auto report = report_tree_difference(all.before, all.after, o.report, all.sessions);
    if (!o.has_default_threshold()) report.left_out = 0;  // the user knows
    if (report.rows.empty())
        explain_empty(notes,
                      o.report.significant ? no_significant_change : "no function reaches --threshold");
    return report;
}

/// The applications of samples, or the images that they are in.
std::set<std::string> names_in(const pp::Profile& profile, bool of_images) {
    std::set<std::string> names;
    for (const pp::StackSamples& sample : profile.samples) {
        const uint32_t image = profile.locations[profile.frames[sample.first_frame]].image;
        const uint32_t index = of_images ? image : sample.app;
        if (index < profile.images.size()) names.insert(profile.images[index].name.display());
    }
    return names;
}

bool have_common_names(const pp::Profile& before, const pp::Profile& after, bool of_images) {
    const auto known = names_in(before, of_images);
    return std::ranges::any_of(names_in(after, of_images),
                               [&](const std::string& name) { return known.contains(name); });
}

/// Symbols of libraries and of the kernel are compared by application; in lists of symbols not if each
/// profile is of one.
void warn_of_other_applications(const pp::Profile& before, const pp::Profile& after, bool is_tree,
                                Diagnostics& notes) {
    if (!is_tree && names_in(before, false).size() == 1 && names_in(after, false).size() == 1) return;
    if (have_common_names(before, after, false) || !have_common_names(before, after, true)) return;
    notes.warn(
        "the profiles have no application in common, so that no symbol is in both; to compare libraries and "
        "the kernel whatever called them, use --merge=lib");
}

pp::Report report_on_difference(const ReportCommandOptions& o, LoadedProfile& before, LoadedProfile& after) {
    const pp::SymbolizedProfile both[] = {before.symbolized(), after.symbolized()};
    note_missing_symbols(both,
                         {.wants_lines = o.report.debug_info || o.inlines,
                          .concerns = nullptr,
                          .package_root = after.package_root(),
                          .most = o.common.most_missing()},
                         after.samples().notes());
    Diagnostics& notes = after.samples().notes();
    warn_of_other_applications(before.profile(), after.profile(), o.call_tree, notes);
    if (o.call_tree) return compare_trees(o, before, after, notes);
    const auto list = [](const pp::Profile& profile, pp::ReportHead head, const pp::ReportOptions& options) {
        return report_symbols(profile, std::move(head), options);
    };
    const Compared<pp::SymbolReport> all = compared<pp::SymbolReport>(o, before, after, list);
    auto report = report_difference(all.before, all.after, o.report, all.sessions);
    if (report.rows.empty() && o.report.significant)
        explain_empty(notes, no_significant_change);
    else if (report.rows.empty())
        warn_of_no_symbols(o, {{&before.profile(), &after.profile()}}, notes);
    return report;
}

/// Prints as warnings the remarks that the report itself has no place for.
void warn_of_remarks(const ReportCommandOptions& o, const pp::Report& report, Diagnostics& notes) {
    const bool has_place = o.writer().has_remarks && (o.report.heads || !o.writer().is_for_people);
    if (has_place) return;
    for (const std::string& remark : std::visit([](const auto& r) { return r.head.remarks; }, report))
        notes.warn(remark);
}

/// Prints the notes: on a terminal two, and that there are others, unless these are one; and all conclusions.
void print_notes(const ReportCommandOptions& o, Tool& tool) {
    constexpr size_t most = 3;
    const std::vector<std::string> conclusions = tool.notes.take_conclusions();
    const std::vector<std::string> notes = tool.notes.take();
    const bool are_all = notes.size() <= most || !o.common.are_notes_few();
    const size_t shown = are_all ? notes.size() : most - 1;
    for (const std::string& note : std::span(notes).first(shown))
        write_stderr("warning: " + printable(note) + "\n");
    if (!are_all)
        write_stderr("warning: " + counted(notes.size() - shown, "further note") +
                     ": --verbose=all has them\n");
    for (const std::string& note : conclusions)
        write_stderr("warning: " + printable(note) + "\n");
}

OutsidePlan plan_for(const ReportCommandOptions& o, const pp::ProfileWords& words) {
    OutsidePlan plan{.profiles = {words.first},
                     .output_file = o.is_page() ? o.html : o.output_file,
                     .output_dir = o.output_dir};
    if (words.second) plan.profiles.push_back(*words.second);
    if (!o.exporter && !o.is_page() && o.writer().is_for_people) plan.show = o.show;
    return plan;
}

void write_page(const ReportCommandOptions& o, const pp::ProfileWords& words, LoadedProfile& first,
                LoadedProfile* second, Outside& outside, Tool& tool) {
    ProfilePageOptions page{
        .report = o.report, .has_threshold = !o.common.threshold.empty(), .size = o.page_size};
    if (!second) return write_profile_page({&first}, page, outside, tool);
    const pp::SymbolizedProfile both[] = {first.symbolized(), second->symbolized()};
    note_missing_symbols(both,
                         {.wants_lines = false,
                          .concerns = nullptr,
                          .package_root = second->package_root(),
                          .most = o.common.most_missing()},
                         second->samples().notes());
    page.sides = {"before (" + joined(words.first, " ") + ")", "after (" + joined(*words.second, " ") + ")"};
    write_profile_page({&first, second}, page, outside, tool);
}

/// True for columns that differ in process, thread or CPU, none of which was asked for.
bool can_be_added_up(const ReportCommandOptions& o, const pp::ProfileClasses& classes) {
    return !o.sort_column && classes.classes.size() > 1 && classes.axis != pp::Axis::event &&
           classes.axis != pp::Axis::several;
}

/// The word behind a --call-tree without a value was taken for one: no value looks like a path or a key.
void give_back_word(ReportCommandOptions& o, std::vector<std::string>& words) {
    if (!o.call_tree_root || o.call_tree_root->find_first_of("/:*{}") == std::string::npos) return;
    words.insert(words.begin(), *o.call_tree_root);
    o.call_tree_root.reset();
}

int opreport(Tool& tool, int argc, char** argv) {
    ReportCommandOptions o;
    ParsedOptions parsed = parse_options(argc, argv, o.syntax());
    if (parsed.exit_status) return *parsed.exit_status;
    give_back_word(o, parsed.words);
    o.settle_implied();
    o.report.demangle = o.demangle.mode(parsed.words);
    const pp::ProfileWords words = pp::split_differential(parsed.words);
    const auto wrong = o.conflicts(words.second.has_value());
    for (const auto& text : wrong)
        tool.complain(text);
    if (!wrong.empty()) return 1;
    o.settle(tool.notes);
    if (o.session_info) {
        print_sessions(o, words, Outside(o.common, plan_for(o, words), tool), tool);
        return 0;
    }
    o.report.request =
        request_of(o, words.first, tool, std::span(argv, static_cast<size_t>(argc)).subspan(1));
    LoadOptions load = load_options(o, words.second.has_value());
    load.notes_missing = !words.second;  // those of two profiles are noted together
    load.compares_hosts = o.compares_hosts();
    pp::TextStyle style = text_style(o.show, o.output_file);
    style.has_whole_names = o.demangle.is_full();
    style.has_all_notes = o.common.is_verbose("all");
    if (words.second) o.settle_diff(style.width > 0);
    const bool is_fitting = style.width > 0 && !o.exporter && o.writer().fits_terminals;
    o.common.is_dir_in_head = is_fitting && o.report.heads;

    Outside outside(o.common, plan_for(o, words), tool);
    std::optional<LoadedProfile> first(std::in_place, o.common, words.first, load, outside, tool);
    const auto add_up = [&](const char* place, const char* remedy) {
        const pp::ProfileClasses& classes = first->classes();
        tool.notes.warn(std::string("processes, threads and CPUs are added up: the ") + place +
                        " has no room for " + counted(classes.classes.size(), "column") +
                        "; one of them: " + classes.classes.front().short_name(classes.axis) + remedy);
        load.merge.cpu = load.merge.tid = load.merge.tgid = true;
        first.emplace(o.common, words.first, load, outside, tool);
    };
    if (o.is_page() && first->classes().classes.size() > most_page_columns) add_up("page", "");
    LoadedProfile& loaded = *first;
    std::optional<LoadedProfile> other;
    if (words.second) other.emplace(o.common, *words.second, load, outside, tool);
    if (o.common.is_verbose("sfile")) describe_selection(loaded);
    if (o.call_tree || o.report.inclusive || (o.exporter && o.exporter->has_only_stacks))
        require_stacks(loaded);
    if (o.call_tree && other) require_stacks(*other);
    if (o.exporter) {
        export_to_files(o, loaded, outside, tool);
        return 0;
    }
    if (o.is_page()) {
        write_page(o, words, loaded, other ? &*other : nullptr, outside, tool);
        return 0;
    }
    const auto make = [&] {
        o.settle_unit(first->classes().classes);
        o.settle_sort_column(first->classes().axis, first->classes().classes.size());
        return other ? report_on_difference(o, *first, *other) : report_on(o, *first);
    };
    pp::Report report = make();
    if (!other && is_fitting && can_be_added_up(o, first->classes()) &&
        !leaves_room_for_names(report, style)) {
        add_up("terminal", "; a pipe has all");
        report = make();
    }
    warn_of_remarks(o, report, tool.notes);
    const std::string text = o.writer().write(report, style);
    print_notes(o, tool);
    if (o.writer().is_for_people)
        outside.show(text);
    else
        outside.write(text);
    return 0;
}

}  // namespace
}  // namespace op::tool

int main(int argc, char** argv) {
    return op::tool::run(argc, argv, op::tool::opreport);
}
