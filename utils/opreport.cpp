// SPDX-License-Identifier: GPL-2.0-or-later
// opreport: which applications, images and symbols the samples are in. Options and the order of the steps;
// the steps themselves are libpp's.
#include <algorithm>

#include "libop/error.h"
#include "libop/text.h"
#include "libpp/report.h"
#include "libpp/sample_set.h"
#include "libpp/writer.h"
#include "utils/output.h"
#include "utils/report_options.h"

namespace op::tool {
namespace {

struct Options {
    CommonOptions common;
    pp::ReportOptions report;
    bool symbols = false, exclude_dependent = false, no_heads = false;
    std::vector<std::string> merge, sort;
    std::string demangle = "normal", output_file;
};

CommandSyntax syntax(Options& o) {
    CommandSyntax s;
    s.synopsis = "[PROFILE SPECIFICATION...]";
    s.options = {
        {"symbols", 'l', &o.symbols, "list symbols instead of images"},
        {"debug-info", 'g', &o.report.debug_info, "add source file and line (needs -l)"},
        {"show-address", 'w', &o.report.addresses, "add the address of symbols (needs -l)"},
        {"accumulated", 'a', &o.report.accumulated, "add cumulative counts (needs -l)"},
        {"global-percent", '%', &o.report.global_percent, "shares of everything, not of the application"},
        {"sort", 's', &o.sort, "sort keys: sample, image, app-name, symbol, debug, vma", "KEY,..."},
        {"reverse-sort", 'r', &o.report.reverse, "sort the other way round"},
        {"merge", 'm', &o.merge, "sum over: cpu, tid, tgid, unitmask, lib, all", "WHAT,..."},
        {"exclude-dependent", 'x', &o.exclude_dependent, "only samples in the application's own image"},
        {"exclude-symbols", 'e', &o.report.exclude_symbols, "leave out these symbols (needs -l)", "NAME,..."},
        {"include-symbols", 'i', &o.report.include_symbols, "only these symbols (needs -l)", "NAME,..."},
        {"demangle", 'D', &o.demangle, "C++ names: none, normal or smart", "HOW"},
        {"long-filenames", 'f', &o.report.long_names, "full paths"},
        {"no-header", 'n', &o.no_heads, "no banner, no column heads"},
        {"output-file", 'o', &o.output_file, "write the report to a file", "FILE"},
    };
    for (const auto& option : o.common.table())
        s.options.push_back(option);
    return s;
}

bool has(const std::vector<std::string>& words, const char* word) {
    return std::ranges::find(words, word) != words.end();
}

/// What is wrong with the combination of options; empty if nothing is.
std::vector<std::string> conflicts(const Options& o) {
    std::vector<std::string> found;
    const auto need_symbols = [&](bool is_given, const char* option) {
        if (is_given && !o.symbols) found.push_back(std::string(option) + " needs --symbols");
    };
    need_symbols(o.report.debug_info, "--debug-info");
    need_symbols(o.report.addresses, "--show-address");
    need_symbols(o.report.accumulated, "--accumulated");
    need_symbols(!o.report.exclude_symbols.empty(), "--exclude-symbols");
    need_symbols(!o.report.include_symbols.empty(), "--include-symbols");
    need_symbols(has(o.sort, "vma"), "--sort=vma");
    if (o.report.global_percent && o.symbols)
        found.push_back("--global-percent is of no use with --symbols: shares are of everything already");
    if (o.exclude_dependent && (has(o.merge, "lib") || has(o.merge, "library")))
        found.push_back("--merge=lib and --exclude-dependent exclude each other");
    return found;
}

pp::Demangle parse_demangle(const std::string& text) {
    if (text == "none") return pp::Demangle::none;
    if (text == "normal") return pp::Demangle::normal;
    if (text == "smart") return pp::Demangle::smart;
    throw_usage("--demangle=" + text + ": must be none, normal or smart");
}

void settle(Options& o) {
    o.common.check();
    o.report.heads = !o.no_heads;
    o.report.threshold = parse_threshold(o.common.threshold);
    o.report.demangle = parse_demangle(o.demangle);
    o.report.sort = pp::parse_sort_keys(o.sort);
}

/// --verbose=sfile: what was selected and how it was arranged.
void describe_selection(const OpenedSessions& opened, const std::vector<pp::SelectedFile>& files,
                        const pp::ProfileClasses& classes) {
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

/// From arranged files to the report. The report shows names that the symbolizer owns, so it is written here.
std::string make_text(const Options& o, const OpenedSessions& opened, const pp::ProfileClasses& classes,
                      pp::SampleSet& samples, const pp::Writer& writer) {
    Diagnostics& notes = samples.notes();
    const auto head = [&] {
        return make_head(o.report, classes.axis, classes.classes, samples.header(),
                         opened.info ? &*opened.info : nullptr, notes);
    };
    if (!o.symbols) {
        const auto totals = image_totals(classes, samples);
        const auto report = report_images(totals, head(), o.report);
        if (report.rows.empty()) notes.warn("nothing to show: no application reaches --threshold");
        return writer.write(report);
    }
    const std::string kallsyms = opened.kallsyms(notes);
    pp::Symbolizer symbolizer(opened.finder, opened.info ? &*opened.info : nullptr, kallsyms,
                              {o.common.vmlinux}, notes);
    const pp::Profile profile = build_profile(classes, samples, symbolizer);
    const auto report = report_symbols(profile, head(), o.report);
    if (report.rows.empty())
        notes.warn(
            "nothing to show: no symbol with samples passes --include-symbols, --exclude-symbols and "
            "--threshold");
    return writer.write(report);
}

int opreport(Tool& tool, int argc, char** argv) {
    Options o;
    const ParsedOptions parsed = parse_options(argc, argv, syntax(o));
    if (parsed.exit_status) return *parsed.exit_status;
    const auto wrong = conflicts(o);
    for (const auto& text : wrong)
        tool.complain(text);
    if (!wrong.empty()) return 1;
    settle(o);
    const pp::Merge merge = pp::parse_merge(o.merge);

    const OpenedSessions opened = open_specified_sessions(o.common, parsed.words, tool);
    const auto files =
        select_files(opened.sessions, opened.spec, {o.exclude_dependent}, opened.finder, tool.notes);
    const pp::ProfileClasses classes = arrange(files, merge);
    if (o.common.says("sfile")) describe_selection(opened, files, classes);
    pp::SampleSet samples(opened.sessions, files, opened.accounted, tool.notes);
    const std::string text = make_text(o, opened, classes, samples, *pp::find_writer("text"));
    tool.print_notes();
    write_output(o.output_file, text);
    return 0;
}

}  // namespace
}  // namespace op::tool

int main(int argc, char** argv) {
    return op::tool::run(argc, argv, op::tool::opreport);
}
