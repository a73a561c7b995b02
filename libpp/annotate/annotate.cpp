// SPDX-License-Identifier: GPL-2.0-or-later
// Samples by source line and by instruction.
#include "libpp/annotate/annotate.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "libop/session/ledger.h"
#include "libpp/profile/percent.h"
#include "libpp/profile/stack_tree.h"
#include "libpp/report/symbol_rows.h"
#include "libpp/symbols/run_time_code.h"

namespace op::pp {

namespace {

void add(Counts& sums, const uint64_t* counts, size_t width) {
    sums.resize(width);
    for (size_t i = 0; i < width; ++i)
        sums[i] = add_saturating(sums[i], counts[i]);
}

/// The path without "." and "..": compilers name one file in several ways.
std::string plain_path(std::string_view path) {
    return std::filesystem::path(path).lexically_normal();
}

/// Adds everything up, regardless of the threshold. Each image counts as its own application here.
class Annotator {
public:
    Annotator(const Profile& profile, const ReportOptions& options)
        : profile_(profile), options_(options), width_(profile.columns.size()) {}

    void add_samples(Annotation& annotation) {
        const auto wanted = wanted_symbols(profile_, options_);
        annotation.totals.resize(width_);
        for (size_t i = 0; i < profile_.samples.size(); ++i) {
            const Location& at = profile_.leaf(i);
            if (!is_wanted(at, wanted)) continue;
            const uint64_t* const counts = &profile_.counts[i * width_];
            add(annotation.totals, counts, width_);
            add_address(at, counts);
            add_line(at, counts);
        }
        if (options_.inclusive && profile_.stacks.is_empty()) add_inlined(wanted);
        if (options_.inclusive && !profile_.stacks.is_empty()) add_stacks(wanted);
        annotation.has_lines = !files_.empty();
        add_symbols();
    }

    std::vector<AnnotatedFile> files() && {
        std::vector<AnnotatedFile> files;
        for (auto& [path, file] : files_) {
            file.origin = origin_of(path, !own_.contains(&file));
            std::ranges::for_each(file.symbols, order_versions);
            std::ranges::sort(file.symbols, {},
                              [](const AnnotatedSymbol& s) { return std::tie(s.line, s.name); });
            for (auto& [line, calls] : file.calls)
                std::ranges::stable_sort(calls, std::greater{},
                                         [](const InlinedCall& call) { return call.counts[0]; });
            files.push_back(std::move(file));
        }
        return files;
    }

    std::vector<AnnotatedCode> code() {
        std::vector<AnnotatedCode> code;
        for (auto& [symbol, one] : code_)
            code.push_back(std::move(one));
        return code;
    }

private:
    void add_address(const Location& at, const uint64_t* counts) {
        const ProfileSymbol& symbol = profile_.symbols[at.symbol];
        ImageSymbols& symbols = *profile_.images[at.image].symbols;
        AnnotatedCode& code = code_[at.symbol];
        if (code.counts.empty()) {
            code.image = at.image;
            code.symbol = symbol.symbol;
            code.name = symbols.name(*symbol.symbol, options_.demangle);
        }
        add(code.counts, counts, width_);
        add(code.by_address[symbol.symbol->address + (at.offset - symbol.symbol->start)], counts, width_);
    }

    /// The file of that name, however it is spelled.
    AnnotatedFile& file(std::string_view path) {
        AnnotatedFile*& known = by_spelling_[path];
        if (known) return *known;
        known = &files_[plain_path(path)];
        if (known->path.empty()) known->path = path;
        known->totals.resize(width_);
        known->inclusive_total.resize(width_);
        return *known;
    }

    void add_line(const Location& at, const uint64_t* counts) {
        const auto line = profile_.images[at.image].symbols->line(at.offset);
        if (!line) return;
        AnnotatedFile& target = file(line->file);
        add(target.totals, counts, width_);
        add(target.lines[line->line], counts, width_);
        if (options_.calls) add_call(at, target.calls[line->line], counts);
    }

    static bool is_wanted(const Location& at, const std::vector<bool>& wanted) {
        return at.symbol != Location::no_symbol && wanted[at.symbol];
    }

    /// What has inclusive counts: a line of a file, or without one the file.
    using Place = std::pair<AnnotatedFile*, std::optional<uint32_t>>;

    /// The places that an instruction is in, through inlined calls: indexes into places_, each once.
    std::set<size_t> places_at(const Location& at, CodeAddress kind) {
        std::set<size_t> found;
        const ProfileImage& image = profile_.images[at.image];
        if (!image.symbols) return found;
        for (const InlineFrame& frame : image.symbols->frames(code_byte(at.offset, kind))) {
            if (frame.file.empty()) continue;
            AnnotatedFile& target = file(frame.file);
            if (!is_packaged(image.name)) own_.insert(&target);
            for (const Place& place : {Place{&target, frame.line}, Place{&target, std::nullopt}}) {
                const auto [number, is_new] = numbers_.try_emplace(place, places_.size());
                if (is_new) places_.push_back(place);
                found.insert(number->second);
            }
        }
        return found;
    }

    void count_at(size_t number, const uint64_t* counts) {
        const auto& [target, line] = places_[number];
        add(line ? target->inclusive[*line] : target->inclusive_total, counts, width_);
    }

    /// Without stacks: the lines of the sampled instruction.
    void add_inlined(const std::vector<bool>& wanted) {
        for (size_t i = 0; i < profile_.samples.size(); ++i) {
            const Location& at = profile_.leaf(i);
            if (!is_wanted(at, wanted)) continue;
            for (const size_t place : places_at(at, CodeAddress::instruction))
                count_at(place, &profile_.counts[i * width_]);
        }
    }

    /// With stacks: also those of its callers. Where a place is on a stack more than once, the outermost
    /// counts.
    void add_stacks(const std::vector<bool>& wanted) {
        StackTree tree = profile_.stacks;
        std::erase_if(tree.counts, [&](const StackCount& count) {
            const StackNode& leaf = tree.nodes[count.node];
            return !leaf.is_code() || !is_wanted(profile_.locations[leaf.location], wanted);
        });
        const std::vector<uint64_t> inclusive = inclusive_counts(tree, width_);
        std::vector<std::set<size_t>> path;
        std::vector<uint32_t> entered;  // by place: how many nodes of the path are in it
        const auto enter = [&](uint32_t node) {
            const StackNode& at = tree.nodes[node];
            const auto counts = std::span(inclusive).subspan(node * width_, width_);
            const bool has_samples = std::ranges::any_of(counts, [](uint64_t n) { return n > 0; });
            path.push_back(has_samples && at.is_code()
                               ? places_at(profile_.locations[at.location], address_kind(at))
                               : std::set<size_t>{});
            entered.resize(places_.size());
            for (const size_t place : path.back())
                if (entered[place]++ == 0) count_at(place, counts.data());
        };
        walk_stacks(tree, enter, [&](uint32_t) {
            for (const size_t place : path.back())
                --entered[place];
            path.pop_back();
        });
    }

    /// Where the innermost function at a location was called, if it was inlined.
    void add_call(const Location& at, std::vector<InlinedCall>& calls, const uint64_t* counts) {
        ImageSymbols& symbols = *profile_.images[at.image].symbols;
        const auto frames = symbols.frames(at.offset);
        if (frames.size() < 2) return;
        ImageSymbol caller = *profile_.symbols[at.symbol].symbol;
        if (frames.size() > 2 && !frames[1].function.empty()) {
            caller.name = frames[1].function;
            caller.artificial = false;
        }
        const InlinedCall call{symbols.name(caller, options_.demangle), frames[1].file, frames[1].line, {}};
        const auto known = std::ranges::find_if(calls, [&](const InlinedCall& other) {
            return std::tie(call.caller, call.file, call.line) ==
                   std::tie(other.caller, other.file, other.line);
        });
        add((known == calls.end() ? calls.emplace_back(call) : *known).counts, counts, width_);
    }

    /// Each symbol goes to the file that it is declared in, if that has samples.
    void add_symbols() {
        std::map<std::tuple<AnnotatedFile*, uint32_t, uint32_t, std::string_view>, size_t> known;
        for (const auto& [index, code] : code_) {
            ImageSymbols& symbols = *profile_.images[code.image].symbols;
            const auto line = symbols.line_of(*code.symbol);
            if (!line) continue;
            const auto at = files_.find(plain_path(line->file));
            if (at == files_.end()) continue;
            std::vector<AnnotatedSymbol>& all = at->second.symbols;
            const auto [number, is_new] =
                known.try_emplace({&at->second, code.image, line->line, code.name}, all.size());
            if (is_new) all.push_back({code.name, line->line, {}});
            AnnotatedSymbol& symbol = all[number->second];
            add(symbol.counts, code.counts.data(), width_);
            symbol.versions.push_back({shown_address(symbols, *code.symbol), code.counts});
        }
    }

    static void order_versions(AnnotatedSymbol& symbol) {
        std::erase_if(symbol.versions, [](const CodeVersion& version) {
            return std::ranges::all_of(version.counts, [](uint64_t samples) { return samples == 0; });
        });
        if (symbol.versions.size() == 1) symbol.versions.clear();
        std::ranges::stable_sort(symbol.versions, std::greater{},
                                 [](const CodeVersion& version) { return version.counts[0]; });
    }

    const Profile& profile_;
    const ReportOptions& options_;
    size_t width_;
    std::map<std::string, AnnotatedFile> files_;  ///< by plain path
    std::map<std::string_view, AnnotatedFile*> by_spelling_;
    std::map<Place, size_t> numbers_;  ///< indexes into places_
    std::vector<Place> places_;
    std::set<const AnnotatedFile*> own_;      ///< with samples in other images than the system's
    std::map<uint32_t, AnnotatedCode> code_;  ///< by index into Profile::symbols
};

}  // namespace

SourceOrigin origin_of(std::string_view path, bool is_packaged) {
    constexpr std::string_view installed[] = {"/usr/include/", "/usr/local/include/", "/usr/lib/",
                                              "/usr/lib32/",   "/usr/lib64/",         "/usr/share/",
                                              "/usr/src/",     "/usr/local/go/",      "/rustc/"};
    constexpr std::string_view parts[] = {"/include/c++/", "/lib/gcc/", "/lib/clang/", "/.cargo/registry/",
                                          "/pkg/mod/"};
    const bool is_library =
        std::ranges::any_of(installed, [&](auto directory) { return path.starts_with(directory); }) ||
        std::ranges::any_of(parts, [&](auto part) { return path.find(part) != path.npos; });
    if (is_library) return SourceOrigin::library;
    return is_packaged ? SourceOrigin::package : SourceOrigin::own;
}

bool is_packaged(const ImageName& image) {
    if (image.kind != ImageName::Kind::file) return image.kind == ImageName::Kind::kernel;
    const std::string_view path = image.name;
    if (!path.starts_with('/')) return true;  // a module
    if (path.starts_with("/usr/local/")) return false;
    constexpr std::string_view places[] = {"/usr/", "/lib/",  "/lib32/", "/lib64/",
                                           "/bin/", "/sbin/", "/boot/"};
    return std::ranges::any_of(places, [&](auto place) { return path.starts_with(place); });
}

const Counts& leading_total(const Annotation& annotation, const AnnotatedFile& file) {
    return annotation.is_inclusive ? file.inclusive_total : file.totals;
}

double highest_share(const Counts& counts, const Counts& totals) {
    double share = 0;
    for (size_t i = 0; i < counts.size(); ++i)
        share = std::max(share, percent_of(counts[i], totals[i]));
    return share;
}

Annotation annotate(const Profile& profile, ReportHead head, const ReportOptions& options) {
    Annotation annotation;
    annotation.head = std::move(head);
    annotation.is_inclusive = options.inclusive;
    Annotator annotator(profile, options);
    annotator.add_samples(annotation);
    annotation.code = annotator.code();
    annotation.files = std::move(annotator).files();
    const auto is_small = [&](const Counts& counts) {
        return !reaches(counts, annotation.totals, options.threshold);
    };
    const auto total = [&](const AnnotatedFile& file) -> const Counts& {
        return leading_total(annotation, file);
    };
    std::erase_if(annotation.files, [&](const AnnotatedFile& file) { return is_small(total(file)); });
    std::erase_if(annotation.code, [&](const AnnotatedCode& code) { return is_small(code.counts); });
    std::ranges::stable_sort(annotation.files, [&](const AnnotatedFile& a, const AnnotatedFile& b) {
        if (annotation.is_inclusive && a.origin != b.origin) return a.origin < b.origin;
        return highest_share(total(a), annotation.totals) > highest_share(total(b), annotation.totals);
    });
    std::ranges::stable_sort(annotation.code, [](const AnnotatedCode& a, const AnnotatedCode& b) {
        return a.image != b.image ? a.image < b.image : a.counts[0] > b.counts[0];
    });
    return annotation;
}

}  // namespace op::pp
