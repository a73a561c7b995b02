// SPDX-License-Identifier: GPL-2.0-or-later
// opannotate: source or assembly with the samples of each line.
#include <fnmatch.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>

#include "libop/base/counted.h"
#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libop/stream/record.h"
#include "libpp/annotate/write_annotated.h"
#include "libpp/annotate/write_annotated_html.h"
#include "libpp/report/symbol_rows.h"
#include "utils/code_listing.h"
#include "utils/load_profile.h"
#include "utils/shared/output.h"
#include "utils/shared/terminal.h"
#include "utils/shared/tree_writer.h"
#include "utils/source_finder.h"

namespace op::tool {
namespace {

struct Options {
    CommonOptions common;
    pp::ReportOptions report;
    bool source = false, assembly = false, html = false, exclude_dependent = false;
    DemangleOptions demangle;
    std::string output_dir, objdump_params;
    std::vector<std::string> search_dirs, base_dirs, include_files, exclude_files, merge;
};

CommandSyntax syntax(Options& o) {
    CommandSyntax s;
    s.synopsis = "--source|--html|--assembly [PROFILE SPECIFICATION...]";
    s.options = {
        {"source", 's', &o.source, "annotate source files"},
        {"assembly", 'a', &o.assembly, "annotate instructions; with --source among source lines"},
        {"html", 0, &o.html, "annotate source files in one page for a browser"},
        {"inline", 0, &o.report.calls, "show where inlined lines were called (needs --source)"},
        {"inclusive", 0, &o.report.inclusive,
         "add the samples of what is inlined into a line; own files first (always with --html)"},
        {"output-dir", 'o', &o.output_dir,
         "write a text file for each source file (--source), or the page (--html, as index.html), below it",
         "DIR"},
        {"search-dirs", 'd', &o.search_dirs, "where to look for source files", "DIR,..."},
        {"source-dir", 0, &o.search_dirs, "the same as --search-dirs", "DIR,..."},
        {"base-dirs", 'b', &o.base_dirs, "strip these from the names of source files (needs -d)", "DIR,..."},
        {"include-file", 0, &o.include_files, "only these source files", "PATTERN,..."},
        {"exclude-file", 0, &o.exclude_files, "not these source files", "PATTERN,..."},
        {"include-symbols", 'i', &o.report.include_symbols, "only these symbols", "NAME,..."},
        {"exclude-symbols", 'e', &o.report.exclude_symbols, "leave out these symbols", "NAME,..."},
        {"objdump-params", 0, &o.objdump_params, "have objdump disassemble, with these parameters", "WORDS"},
        {"exclude-dependent", 'x', &o.exclude_dependent, "only samples in the application's own image"},
        {"merge", 'm', &o.merge, "sum over: cpu, tid, tgid, unitmask, all", "WHAT,..."},
    };
    for (const auto& rows : {o.demangle.table(), o.common.table()})
        s.options.insert(s.options.end(), rows.begin(), rows.end());
    return s;
}

/// True for --source on a terminal without an option that chooses another listing.
bool is_for_a_person(const Options& o) {
    return o.source && !o.assembly && !o.report.calls && o.output_dir.empty() && is_terminal(STDOUT_FILENO);
}

/// What is wrong with the combination of options; empty if nothing is.
std::vector<std::string> conflicts(const Options& o) {
    std::vector<std::string> found;
    if (!o.source && !o.assembly && !o.html)
        found.emplace_back("give --source, --assembly or both, or --html");
    if (o.assembly && o.html) found.emplace_back("--html is for source files: without --assembly");
    if (o.report.calls && o.html) found.emplace_back("--inline is for listings: without --html");
    if (o.report.calls && !o.source && !o.html) found.emplace_back("--inline needs --source");
    if (o.report.calls && o.assembly) found.emplace_back("--inline is for source files: without --assembly");
    if (o.report.inclusive && !o.source && !o.html) found.emplace_back("--inclusive needs --source");
    if (o.report.inclusive && o.assembly)
        found.emplace_back("--inclusive is for source files: without --assembly");
    if (o.assembly && !o.output_dir.empty())
        found.emplace_back("--output-dir is for source files: without --assembly");
    if (o.assembly && (!o.include_files.empty() || !o.exclude_files.empty()))
        found.emplace_back("--include-file and --exclude-file are for source files: without --assembly");
    if (!o.base_dirs.empty() && o.search_dirs.empty()) found.emplace_back("--base-dirs needs --search-dirs");
    if (std::ranges::find(o.merge, "build") != o.merge.end())
        found.emplace_back("lines and instructions are those of one file: without --merge=build");
    if (!o.objdump_params.empty() && !o.assembly) found.emplace_back("--objdump-params needs --assembly");
    return found;
}

bool any_component_matches(const std::vector<std::string>& patterns, const std::string& path) {
    for (const auto part : split(path, '/'))
        for (const auto& pattern : patterns)
            if (::fnmatch(pattern.c_str(), std::string(part).c_str(), 0) == 0) return true;
    return false;
}

bool is_wanted(const Options& o, const std::string& path) {
    if (any_component_matches(o.exclude_files, path)) return false;
    return o.include_files.empty() || any_component_matches(o.include_files, path);
}

std::string threshold_text(const Options& o, const char* all, const char* some) {
    const std::string& share = o.common.threshold;
    return share.empty() || o.report.threshold == 0 ? all : some + share + "% of the samples";
}

std::string command_line(int argc, char** argv) {
    return joined(std::vector<std::string>(argv, argv + argc), " ");
}

pp::Annotation make_annotation(const Options& o, LoadedProfile& loaded) {
    const pp::Profile& profile = loaded.profile();  // first: the head is known when samples were read
    return annotate(profile, loaded.head(o.report), o.report);
}

/// The images of the symbols named on the command line; empty if no symbol was named or found.
std::set<ImageName> images_of_wanted_symbols(const Options& o, const pp::Profile& profile) {
    std::set<ImageName> images;
    if (o.report.include_symbols.empty()) return images;
    const auto wanted = wanted_symbols(profile, o.report);
    for (size_t i = 0; i < wanted.size(); ++i)
        if (wanted[i]) images.insert(profile.images[profile.symbols[i].image].name);
    return images;
}

/// Reports missing names and lines where they may hide what was requested: none if the source files that were
/// named are there; of symbols that were named, only those of their own images.
void note_missing(const Options& o, LoadedProfile& loaded, const pp::Annotation& annotation) {
    const auto is_named = [&](const pp::AnnotatedFile& file) { return is_wanted(o, file.path); };
    if (!o.include_files.empty() && std::ranges::any_of(annotation.files, is_named)) return;
    const auto images = images_of_wanted_symbols(o, loaded.profile());
    loaded.note_missing([&](const ImageName& image) { return images.empty() || images.contains(image); });
}

class Listing {
public:
    Listing(const Options& o, LoadedProfile& loaded, std::string command)
        : o_(o),
          loaded_(loaded),
          notes_(loaded.samples().notes()),
          annotation_(make_annotation(o, loaded)),
          finder_(loaded.opened().spec.archive, o.search_dirs, o.base_dirs),
          command_(std::move(command)) {
        if (o.report.include_symbols.empty() && o.report.exclude_symbols.empty())
            note_samples_in_no_symbol(loaded.profile(), notes_);
        note_missing(o, loaded, annotation_);
    }

    void write() {
        warn_of_directories();
        if (o_.assembly) return write_assembly();
        if (std::ranges::all_of(annotation_.totals, [](uint64_t samples) { return samples == 0; })) {
            notes_.conclude("nothing to show: no selected image holds a selected symbol with samples");
            return;
        }
        if (!annotation_.has_lines) {
            notes_.conclude(
                "none of the selected images has debug information: there are no source lines; compile with "
                "-g, or "
                "install the debug files");
            return;
        }
        write_sources();
    }

private:
    /// Those that cannot be of any use.
    void warn_of_directories() {
        for (const auto& dir : o_.search_dirs)
            if (std::error_code error; !std::filesystem::is_directory(dir, error))
                notes_.warn("--search-dirs: " + printable(dir) + " is not a directory");
    }

    void write_sources() {
        warn_if_nothing_is_left();
        std::optional<TreeWriter> tree;
        if (!o_.output_dir.empty()) tree.emplace(o_.output_dir);
        if (o_.html)
            write_page(tree);
        else
            write_listings(tree);
        if (!missing_.empty())
            notes_.warn(not_found_text(missing_) + (missing_.size() == 1 ? ": its" : ": their") +
                        " symbols are listed; see --search-dirs and --base-dirs");
    }

    void warn_if_nothing_is_left() {
        if (annotation_.files.empty())
            notes_.conclude("nothing to show: no source file reaches --threshold");
        else if (std::ranges::none_of(annotation_.files,
                                      [&](const auto& f) { return is_wanted(o_, f.path); }))
            notes_.conclude(
                "nothing to show: --include-file and --exclude-file leave out every source file with "
                "samples; "
                "a PATTERN is compared with each part of their paths, as of " +
                printable(annotation_.files.front().path));
    }

    std::vector<std::string> meaning_of_listings() const {
        std::vector<std::string> meaning{
            "Output annotated source file with samples",
            threshold_text(o_, "Output all files", "Output files where samples count reach ")};
        if (o_.report.inclusive)
            meaning.emplace_back(
                "Each event has a line's own samples, then those with what is inlined into it and, if there "
                "are "
                "call stacks, what it calls");
        return meaning;
    }

    /// Whether a file is only named at the end: nobody asked for it.
    bool is_aside(const pp::AnnotatedFile& file) const {
        return annotation_.is_aside(file) && o_.include_files.empty() && o_.output_dir.empty();
    }

    void write_listings(std::optional<TreeWriter>& tree) {
        const std::string banner = annotation_banner(annotation_, command_, meaning_of_listings());
        std::string text = banner;
        std::vector<const pp::AnnotatedFile*> aside;
        for (const pp::AnnotatedFile& file : annotation_.files) {
            if (!is_wanted(o_, file.path)) continue;
            if (is_aside(file)) {
                aside.push_back(&file);
                continue;
            }
            const std::string lines = annotated_lines(annotation_, file, source_of(file));
            const std::string totals = annotation_totals(annotation_, file);
            const std::string zero = annotated_line_zero(annotation_, file);
            if (tree)
                write_file(*tree, file.path, lines + "\n" + totals + zero + banner);
            else
                text += totals + "\n" + zero + lines;
        }
        if (!tree) write_foreign_lines(text + annotation_aside(annotation_, aside));
    }

    void write_page(std::optional<TreeWriter>& tree) {
        std::vector<pp::AnnotatedSource> sources;
        for (const pp::AnnotatedFile& file : annotation_.files)
            if (is_wanted(o_, file.path)) sources.push_back({&file, source_of(file)});
        const std::string page = annotated_html(annotation_, sources, command_);
        if (tree)
            tree->write("index.html", page);
        else
            write_foreign_lines(page);
    }

    std::optional<std::string> source_of(const pp::AnnotatedFile& file) {
        auto source = finder_.read(file.path);
        if (!source) {
            missing_.push_back(file.path);
            return std::nullopt;
        }
        if (!source->refusal.empty()) {
            notes_.warn("source " + printable(file.path) + " is not read: " + source->refusal +
                        "; its symbols are listed");
            return std::nullopt;
        }
        warn_if_changed(file, *source);
        return std::move(source->text);
    }

    /// The lines of another version of the file would mislead.
    void warn_if_changed(const pp::AnnotatedFile& file, const Source& source) {
        const auto& text = source.text;
        const auto lines = std::ranges::count(text, '\n') + (!text.empty() && text.back() != '\n');
        const auto& info = loaded_.opened().info;
        const int64_t taken = info ? static_cast<int64_t>(info->start_time) : 0;
        if (!file.lines.empty() && file.lines.rbegin()->first > lines)
            notes_.warn("source " + printable(file.path) + " has fewer lines than when it was compiled: " +
                        "samples are shown at wrong lines or at none");
        else if (taken > 0 && source.changed > taken)
            notes_.warn("source " + printable(file.path) +
                        " was changed after the profile was taken: " + "samples may be shown at wrong lines");
    }

    void write_file(TreeWriter& tree, const std::string& path, const std::string& text) {
        try {
            tree.write(path, text);
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::input) throw;
            notes_.warn(error.what());  // a name that leads elsewhere: not written
        }
    }

    void write_assembly() {
        std::vector<std::string> meaning{
            "Output annotated assembly listing with samples",
            threshold_text(o_, "Output all symbols", "Output symbols where samples count reach ")};
        ListingOptions options;
        options.with_source = o_.source;
        for (const auto word : split(o_.objdump_params, ' '))
            if (!word.empty()) options.objdump_params.emplace_back(word);
        if (!o_.objdump_params.empty()) meaning.push_back("objdump parameters: " + o_.objdump_params);
        std::string text = annotation_banner(annotation_, command_, meaning);
        if (annotation_.code.empty()) throw_usage("no selected image holds a selected symbol with samples");
        std::unique_ptr<CodeListing> listing;
        std::optional<uint32_t> image;
        for (const pp::AnnotatedCode& code : annotation_.code) {
            if (image != code.image) listing = open(code.image, options);
            image = code.image;
            if (listing) text += list(*listing, code);
        }
        note_without_file();
        write_foreign_lines(text);
    }

    /// One note, however many processes made code.
    void note_without_file() {
        if (without_file_.empty()) return;
        const size_t others = without_file_.size() - 1;
        notes_.warn(without_file_.front() + (others == 0
                                                 ? " is not disassembled: there is no file of it"
                                                 : " and " + counted(others, "other image") +
                                                       " are not disassembled: there are no files of them"));
    }

    std::unique_ptr<CodeListing> open(uint32_t index, const ListingOptions& options) {
        const ImageName& name = loaded_.profile().images[index].name;
        const auto skip = [&](const std::string& why) -> std::unique_ptr<CodeListing> {
            notes_.warn(printable(name.display()) + " is not disassembled: " + why);
            return nullptr;
        };
        if (loaded_.is_other_build(name)) return nullptr;
        const auto path = loaded_.file_of(name);
        if (!path && has_file(name)) return skip("it is not found");
        if (!path) {
            without_file_.push_back(printable(name.display()));
            return nullptr;
        }
        try {
            return std::make_unique<CodeListing>(*path, profiled_path(name, *path), options, finder_);
        } catch (const Error& error) {
            return skip(error.what());
        }
    }

    /// The path of the image on the machine that was profiled, whatever its file is called here: a kept or
    /// fetched binary has another name, one of an archive has its path below the archive.
    std::string profiled_path(const ImageName& name, const std::string& path) const {
        const std::string& own = loaded_.opened().finder.path(name.name);
        if (own.starts_with('/') && path != loaded_.vmlinux() && base_name(path) != base_name(own))
            return own;
        const std::string& archive = loaded_.opened().spec.archive;
        return !archive.empty() && path.starts_with(archive + "/") ? path.substr(archive.size()) : path;
    }

    std::string list(CodeListing& listing, const pp::AnnotatedCode& code) {
        try {
            pp::ImageSymbols& symbols = *loaded_.profile().images[code.image].symbols;
            return annotated_code(annotation_, code, listing.list(code, symbols));
        } catch (const Error& error) {
            notes_.warn(error.what());
            return "";
        }
    }

    const Options& o_;
    LoadedProfile& loaded_;
    Diagnostics& notes_;
    pp::Annotation annotation_;
    SourceFinder finder_;
    std::vector<std::string> missing_;       ///< sources, in the order in which they were looked for
    std::vector<std::string> without_file_;  ///< images that would be disassembled
    std::string command_;
};

int opannotate(Tool& tool, int argc, char** argv) {
    Options o;
    const std::string command = command_line(argc, argv);
    ParsedOptions parsed = parse_options(argc, argv, syntax(o));
    if (parsed.exit_status) return *parsed.exit_status;
    o.report.demangle = o.demangle.mode(parsed.words);
    const auto wrong = conflicts(o);
    for (const auto& text : wrong)
        tool.complain(text);
    if (!wrong.empty()) return 1;
    o.common.check();
    o.report.threshold = parse_threshold(o.common.threshold);
    o.report.inclusive |= o.html || is_for_a_person(o);
    LoadOptions load;
    load.wants_lines = o.source || o.html;
    load.notes_missing = false;
    load.select.exclude_dependent = o.exclude_dependent;
    load.select.callgraph = o.report.inclusive;
    load.merge = pp::parse_merge(o.merge);
    load.merge.library = true;
    const Outside outside(
        o.common,
        {.profiles = {parsed.words}, .output_dir = o.output_dir, .runs_programs = !o.objdump_params.empty()},
        tool);
    LoadedProfile loaded(o.common, parsed.words, load, outside, tool);
    Listing(o, loaded, command).write();
    return 0;
}

}  // namespace
}  // namespace op::tool

int main(int argc, char** argv) {
    return op::tool::run(argc, argv, op::tool::opannotate);
}
