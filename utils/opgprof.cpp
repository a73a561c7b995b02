// SPDX-License-Identifier: GPL-2.0-or-later
// opgprof: the samples of one binary as gmon.out, for gprof.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>

#include "libop/base/elf_object.h"
#include "libop/base/error.h"
#include "libop/base/fd.h"
#include "libop/base/text.h"
#include "libop/session/ledger.h"
#include "libpp/export/export_gmon.h"
#include "libpp/profile/profile_spec.h"
#include "libpp/report/fit_names.h"
#include "utils/load_profile.h"
#include "utils/shared/output.h"

namespace op::tool {
namespace {

struct Options {
    CommonOptions common;
    std::string output = "gmon.out";
};

CommandSyntax syntax(Options& o) {
    CommandSyntax s;
    s.synopsis = "[PROFILE SPECIFICATION...]";
    s.options = {{"output-filename", 'o', &o.output, "where the profile goes (gmon.out)", "FILE"}};
    for (const auto& option : o.common.table())
        s.options.push_back(option);
    return s;
}

/// Columns of a clone's name in a warning: those of C++ are long.
constexpr size_t longest_clone = 60;

/// The one image that has samples; none if there are several.
std::optional<uint32_t> only_image(const pp::Profile& profile) {
    std::set<uint32_t> images;
    for (size_t i = 0; i < profile.samples.size(); ++i)
        images.insert(profile.leaf(i).image);
    if (images.size() != 1) return std::nullopt;
    return *images.begin();
}

/// "NAME (SAMPLES)" of what has samples, those with most first, at most `most`.
std::string list_by_samples(std::vector<std::pair<uint64_t, std::string>> counted, size_t most = 5) {
    std::ranges::sort(counted, std::greater{});
    std::vector<std::string> texts;
    for (const auto& [count, name] : std::span(counted).first(std::min(counted.size(), most)))
        texts.push_back(printable(name) + " (" + std::to_string(count) + ")");
    const size_t more = counted.size() - texts.size();
    return joined(texts) + (more == 0 ? "" : " and " + std::to_string(more) + " more");
}

/// Where the samples are, if what is selected has none of its own; empty if no library has any.
std::string libraries_instead(const pp::Profile& profile) {
    std::vector<std::pair<uint64_t, std::string>> libraries;
    const auto samples = samples_by_image(profile);
    for (size_t i = 0; i < samples.size(); ++i)
        if (const ImageName& name = profile.images[i].name;
            samples[i] > 0 && has_file(name) && name.name.starts_with('/'))
            libraries.emplace_back(samples[i], name.name);
    std::set<std::string> apps;
    for (const pp::StackSamples& sample : profile.samples)
        apps.insert(profile.images[sample.app].name.display());
    if (libraries.empty()) return "";
    return (apps.size() == 1 ? printable(*apps.begin()) : "what is selected") +
           " has no samples of its own; of its libraries there are samples in " +
           list_by_samples(std::move(libraries)) + ": name one with lib-image:";
}

/// The binaries that have samples, for messages.
std::string binaries_of(const pp::Profile& profile) {
    std::vector<std::pair<uint64_t, std::string>> binaries;
    const auto samples = samples_by_image(profile);
    for (size_t i = 0; i < samples.size(); ++i)
        if (samples[i] > 0) binaries.emplace_back(samples[i], profile.images[i].name.display());
    return list_by_samples(std::move(binaries));
}

/// A profile of what is selected; null if nothing is, and `may_be_empty`.
std::unique_ptr<LoadedProfile> load(const Options& o, const std::vector<std::string>& words,
                                    const LoadOptions& options, bool may_be_empty, const Outside& outside,
                                    Tool& tool) {
    try {
        return std::make_unique<LoadedProfile>(o.common, words, options, outside, tool);
    } catch (const Error& error) {
        if (!may_be_empty || error.kind() != ErrorKind::usage) throw;
        return nullptr;
    }
}

/// A profile of what is selected, first without libraries, then, if that is not one binary, with them.
/// Where a binary has exactly the name given, patterns and paths of others do not count.
std::unique_ptr<LoadedProfile> load_one_binary(const Options& o, const std::vector<std::string>& words,
                                               const Outside& outside, Tool& tool) {
    LoadOptions options;
    options.merge = pp::parse_merge(std::vector<std::string>{"all"});
    options.select = {.callgraph = true, .is_exact = true};
    const bool is_exact = load(o, words, options, true, outside, tool) != nullptr;
    options.notes_missing = false;  // noted of what is returned alone
    bool has_own = true;
    std::string elsewhere, selected;
    for (const bool is_alone : {true, false}) {
        options.select = {.exclude_dependent = is_alone, .callgraph = true, .is_exact = is_exact};
        auto loaded = load(o, words, options, is_alone, outside, tool);
        has_own &= loaded != nullptr;  // all samples may be in libraries
        if (!loaded || loaded->classes().classes.size() != 1) continue;
        if (only_image(loaded->profile())) {
            loaded->note_missing(nullptr);
            return loaded;
        }
        if (selected.empty()) selected = binaries_of(loaded->profile());
        if (!is_alone && !has_own) elsewhere = libraries_instead(loaded->profile());
    }
    if (!elsewhere.empty()) throw_usage(elsewhere);
    if (!selected.empty())
        throw_usage(
            "specify exactly one binary, by its full path; of what is selected there are samples in " +
            selected);
    throw_usage("specify exactly one binary, by its full path, or give an event: or count:");
}

/// Of the ELF file, by e_ident[EI_CLASS] (ELF specification, "ELF Identification").
unsigned address_bytes(const std::string& path) {
    const Fd file = open_regular(path);
    unsigned char ident[5] = {};
    return ::pread(file.get(), ident, sizeof ident, 0) == sizeof ident && ident[4] == 1 ? 4 : 8;
}

/// How an ELF file begins; a packed module does not, which gprof does not read either.
constexpr std::byte elf_magic[] = {std::byte{0x7f}, std::byte{'E'}, std::byte{'L'}, std::byte{'F'}};

/// Reports what gprof cannot do with the binary: it reads the binary's own symbols only, and of these leaves
/// out many of the clones that compilers make, so that it counts their samples at others.
void warn_of_symbols(const pp::Profile& profile, uint32_t image, const std::string& path,
                     Diagnostics& notes) {
    const MappedFile file(path);
    if (!std::ranges::equal(file.bytes().first(std::min<size_t>(file.bytes().size(), 4)), elf_magic)) return;
    const auto object = open_elf(file.bytes(), path);
    const std::vector<RawSymbol> symbols = object->symbols(false);
    if (symbols.empty())
        return notes.warn(printable(path) +
                          " has no symbols of its own, without which gprof refuses it; opreport shows more");
    std::set<std::string_view> left_out;
    for (const RawSymbol& symbol : symbols)
        if (!symbol.global && !symbol.weak && !pp::gprof_reads_local(symbol.name))
            left_out.insert(symbol.name);
    std::map<std::string_view, uint64_t> sums;
    for (size_t i = 0; i < profile.samples.size(); ++i) {
        const pp::Location& at = profile.leaf(i);
        if (at.image != image || at.symbol == pp::Location::no_symbol) continue;
        const std::string_view name = profile.symbols[at.symbol].symbol->name;
        if (left_out.contains(name)) sums[name] = add_saturating(sums[name], profile.count(i, 0));
    }
    if (sums.empty()) return;
    std::vector<std::pair<uint64_t, std::string>> counted;
    for (const auto& [name, count] : sums)
        counted.emplace_back(count, pp::cut_text(std::string(name), longest_clone));
    notes.warn(
        "gprof leaves out clones made by the compiler and counts their samples at the function before: " +
        list_by_samples(std::move(counted), 2) + "; opreport --format=callgrind keeps all functions");
}

/// The binaries that the words of the command line name: libraries if there are any, else applications.
std::vector<std::string> named_binaries(const std::vector<std::string>& words) {
    const pp::ProfileSpec spec = pp::parse_profile_spec(words);
    if (!spec.libraries.empty()) return spec.libraries;
    std::vector<std::string> names = spec.words;
    names.insert(names.end(), spec.images.begin(), spec.images.end());
    return names;
}

int opgprof(Tool& tool, int argc, char** argv) {
    Options o;
    const ParsedOptions parsed = parse_options(argc, argv, syntax(o));
    if (parsed.exit_status) return *parsed.exit_status;
    o.common.check();
    parse_threshold(o.common.threshold);
    if (o.output.empty()) throw_usage("--output-filename: give a name");
    keep_from_terminal(o.output, "a profile for gprof");
    Outside outside(o.common, {.profiles = {parsed.words}, .output_file = o.output}, tool);
    const auto loaded = load_one_binary(o, parsed.words, outside, tool);
    const pp::Profile& profile = loaded->profile();
    const uint32_t image = *only_image(profile);
    const std::string& name = profile.images[image].name.name;
    if (loaded->is_other_build(profile.images[image].name))
        throw_input("image " + printable(name) +
                    " is another build than the one that was profiled; give the right file with --root or "
                    "--image-path, or take this one with --trust-path");
    const auto path = loaded->file_of(profile.images[image].name);
    if (!path) throw_input("image " + printable(name) + " is not found; gprof could not read it either");
    const std::string bytes = export_gmon(profile, image, address_bytes(*path), tool.notes);
    warn_of_symbols(profile, image, *path, tool.notes);
    for (const std::string& remark : loaded->remarks())  // gmon.out has no place for them
        tool.notes.warn(remark);
    tool.print_notes();
    outside.write(bytes);
    const std::string written = o.output == "-" ? "standard output" : printable(o.output);
    if (*path != name)
        tool.notes.warn(written + " is of " + printable(name) + "; give gprof the file " + printable(*path));
    else if (named_binaries(parsed.words) != std::vector{name})
        tool.notes.warn(written + " is of " + printable(name));
    return 0;
}

}  // namespace
}  // namespace op::tool

int main(int argc, char** argv) {
    return op::tool::run(argc, argv, op::tool::opgprof);
}
