// SPDX-License-Identifier: GPL-2.0-or-later
// The source and the instructions of hot functions. One pass over the samples finds the functions; what is
// read besides is that of these alone.
#include "utils/page_code.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <set>

#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libop/session/ledger.h"
#include "libpp/export/exporter.h"
#include "libpp/object/disassemble.h"
#include "utils/shared/file_access.h"
#include "utils/source_finder.h"

namespace op::tool {

namespace {

constexpr size_t most_functions = 200;
constexpr size_t most_lines = 400;          // of a function's source, beyond which only those near samples
constexpr size_t most_instructions = 1500;  // likewise
constexpr uint32_t lines_around = 3;
constexpr size_t instructions_around = 8;
constexpr size_t longest_line = 500;  // bytes

using Counts = std::vector<uint64_t>;  // one per event

struct HotFunction {
    uint32_t symbol = 0, location = 0;
    Counts counts = {};
    std::map<ImageOffset, Counts> by_offset = {};
};

void add(Counts& sums, const Counts& counts) {
    sums.resize(counts.size());
    for (size_t i = 0; i < counts.size(); ++i)
        sums[i] = add_saturating(sums[i], counts[i]);
}

/// The events of columns, each once.
std::vector<std::string> different_events(const std::vector<std::string>& events) {
    std::vector<std::string> names;
    for (const std::string& event : events)
        if (std::ranges::find(names, event) == names.end()) names.push_back(event);
    return names;
}

/// The samples of a profile by event, in the order of `names`.
class EventCounts {
public:
    EventCounts(const pp::Profile& profile, const std::vector<std::string>& names)
        : profile_(profile), events_(names.size()) {
        for (const std::string& event : pp::event_names(profile.columns))
            of_column_.push_back(static_cast<size_t>(std::ranges::find(names, event) - names.begin()));
    }
    Counts of(size_t sample) const {
        Counts counts(events_);
        for (size_t column = 0; column < of_column_.size(); ++column)
            if (of_column_[column] < events_) counts[of_column_[column]] += profile_.count(sample, column);
        return counts;
    }
    size_t size() const { return events_; }

private:
    const pp::Profile& profile_;
    std::vector<size_t> of_column_;
    size_t events_;
};

/// The functions of a profile that have samples, those with most first, and the samples of all code.
struct SampledFunctions {
    std::vector<HotFunction> functions;
    Counts totals;
};

SampledFunctions sampled_functions(const pp::Profile& profile, const EventCounts& counts) {
    std::vector<Counts> by_symbol(profile.symbols.size(), Counts(counts.size()));
    SampledFunctions sampled{{}, Counts(counts.size())};
    for (size_t sample = 0; sample < profile.samples.size(); ++sample) {
        const Counts taken = counts.of(sample);
        add(sampled.totals, taken);
        const uint32_t symbol = profile.leaf(sample).symbol;
        if (symbol != pp::Location::no_symbol) add(by_symbol[symbol], taken);
    }
    for (uint32_t symbol = 0; symbol < by_symbol.size(); ++symbol) {
        const bool has_any = std::ranges::any_of(by_symbol[symbol], [](uint64_t n) { return n > 0; });
        if (has_any && !is_whole_image(profile, profile.symbols[symbol]))
            sampled.functions.push_back({symbol, 0, by_symbol[symbol]});
    }
    std::ranges::stable_sort(sampled.functions, std::greater<>(), &HotFunction::counts);
    return sampled;
}

/// Functions with at least that share of an event.
std::vector<HotFunction> hot_functions(const SampledFunctions& sampled, double share) {
    std::vector<HotFunction> hot;
    for (const HotFunction& function : sampled.functions) {
        bool is_hot = false;
        for (size_t event = 0; event < sampled.totals.size(); ++event)
            is_hot |= function.counts[event] > 0 && 100 * static_cast<double>(function.counts[event]) >=
                                                        share * static_cast<double>(sampled.totals[event]);
        if (is_hot && hot.size() < most_functions) hot.push_back(function);
    }
    return hot;
}

void add_offsets(std::vector<HotFunction>& hot, const pp::Profile& profile, const EventCounts& counts) {
    std::map<uint32_t, HotFunction*> by_symbol;
    for (HotFunction& function : hot)
        by_symbol[function.symbol] = &function;
    for (size_t sample = 0; sample < profile.samples.size(); ++sample) {
        const pp::Location& leaf = profile.leaf(sample);
        const auto at = by_symbol.find(leaf.symbol);
        if (at == by_symbol.end()) continue;
        at->second->location = profile.frames[profile.samples[sample].first_frame];
        add(at->second->by_offset[leaf.offset], counts.of(sample));
    }
}

/// A line as the page has it.
std::string line_text(std::string_view line) {
    std::string text = printable_lines(line);
    std::erase(text, '\r');
    if (text.size() <= longest_line) return text;
    size_t end = longest_line;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
        --end;
    return text.substr(0, end) + "…";
}

/// Reads sources, each once.
class Sources {
public:
    explicit Sources(LoadedProfile& loaded)
        : loaded_(loaded), finder_(loaded.opened().spec.archive, {}, {}) {}

    /// The lines of a source that the debug information of an image names; empty if it is not read.
    const std::vector<std::string>& lines(const std::string& path, const ImageName& image) {
        const auto [at, is_new] = sources_.try_emplace(path);
        if (!is_new) return at->second;
        const auto source = finder_.read(path);
        if (!source || !source->refusal.empty() || !may_be_passed_on(path, *source, image)) return at->second;
        for (std::string_view rest = source->text; !rest.empty();)
            at->second.push_back(line_text(take_line(rest)));
        return at->second;
    }

private:
    /// Somebody may have replaced the file meanwhile: what is judged has to be what was read.
    bool may_be_passed_on(const std::string& path, const Source& source, const ImageName& image) {
        if (!source.file) return true;
        const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
        struct stat status {};
        if (!file || ::fstat(file.get(), &status) != 0) return false;
        if (*source.file != std::pair(status.st_dev, status.st_ino)) return false;
        if (is_public(file)) return true;
        const std::string fault = private_source_fault(file, path, owner_of(image));
        if (fault.empty()) return true;
        loaded_.samples().notes().warn("source " + printable(path) + " is not in the page: " + fault);
        return false;
    }
    std::optional<uid_t> owner_of(const ImageName& image) {
        const auto path = loaded_.file_of(image);
        struct stat status {};
        if (!path || ::stat(path->c_str(), &status) != 0) return std::nullopt;
        return status.st_uid;
    }

    LoadedProfile& loaded_;
    SourceFinder finder_;
    std::map<std::string, std::vector<std::string>> sources_;
};

/// The sources of one function: its own file first, then those that code was inlined from.
class FunctionSources {
public:
    FunctionSources(const HotFunction& function, const pp::Profile& profile, Sources& sources)
        : function_(function),
          image_(profile.images[profile.symbols[function.symbol].image]),
          symbol_(*profile.symbols[function.symbol].symbol),
          sources_(sources) {}

    std::vector<pp::PageSource> files() {
        if (!image_.symbols->has_lines()) return {};
        for (const auto& [offset, counts] : function_.by_offset)
            if (const auto line = image_.symbols->line(offset); line && line->line > 0)
                add(samples_[std::string(line->file)][line->line], counts);
        std::vector<pp::PageSource> files;
        const auto own = image_.symbols->line(symbol_.start);
        const std::string own_path = own ? std::string(own->file) : "";
        if (own && samples_.contains(own_path)) add_file(files, own_path, own->line);
        for (const auto& [path, lines] : samples_)
            if (path != own_path) add_file(files, path, 0);
        return files;
    }

private:
    /// With the lines from `first` on, unless that is 0.
    void add_file(std::vector<pp::PageSource>& files, const std::string& path, uint32_t first) {
        const std::vector<std::string>& text = sources_.lines(path, image_.name);
        const auto& samples = samples_[path];
        const uint32_t last = samples.rbegin()->first;
        std::map<uint32_t, Counts> wanted;
        const bool is_whole = first > 0 && first <= last && last - first < most_lines;
        for (uint32_t line = first; is_whole && line <= last; ++line)
            wanted[line];
        for (const auto& [line, counts] : samples)
            for (uint32_t near = line - std::min(line - 1, lines_around); near <= line + lines_around; ++near)
                wanted[near];
        pp::PageSource file{printable(path), {}};
        for (const auto& [line, unused] : wanted) {
            if (line == 0 || line > text.size()) continue;
            const auto at = samples.find(line);
            file.rows.push_back(
                {line, text[line - 1], at == samples.end() ? Counts(function_.counts.size()) : at->second});
        }
        if (!file.rows.empty()) files.push_back(std::move(file));
    }

    const HotFunction& function_;
    const pp::ProfileImage& image_;
    const pp::ImageSymbol& symbol_;
    Sources& sources_;
    std::map<std::string, std::map<uint32_t, Counts>> samples_;
};

/// "SYMBOL+0xOFFSET" or "SYMBOL" for an address as linked, or empty.
std::string name_at(pp::ImageSymbols& symbols, LinkAddress address, pp::Demangle demangle) {
    const auto all = symbols.symbols();
    const auto next = std::ranges::upper_bound(all, address, {}, &pp::ImageSymbol::address);
    if (next == all.begin()) return "";
    const pp::ImageSymbol& symbol = *std::prev(next);
    const uint64_t offset = address - symbol.address;
    if (offset >= symbol.length) return "";
    return line_text(symbols.name(symbol, demangle)) + (offset ? "+0x" + hex(offset) : "");
}

/// Disassembles the code of images.
class Instructions {
public:
    Instructions(LoadedProfile& loaded, pp::Demangle demangle) : loaded_(loaded), demangle_(demangle) {}

    std::vector<pp::CodeRow> of(const HotFunction& function) {
        const pp::Profile& profile = loaded_.profile();
        const pp::ProfileImage& image = profile.images[profile.symbols[function.symbol].image];
        const pp::ImageSymbol& symbol = *profile.symbols[function.symbol].symbol;
        const auto bytes = image.symbols->code(symbol);
        pp::Disassembler* const disassembler = bytes.empty() ? nullptr : of_image(image.name);
        if (!disassembler) return {};
        const pp::NameAddress name = [&](LinkAddress address) {
            return name_at(*image.symbols, address, demangle_);
        };
        std::vector<pp::CodeRow> rows;
        for (size_t at = 0; at < bytes.size() && rows.size() < 50'000;) {
            const auto one = disassembler->next(bytes.subspan(at), symbol.address + at, name);
            Counts counts(function.counts.size());
            const ImageOffset begin = symbol.start + at;
            for (auto sample = function.by_offset.lower_bound(begin);
                 sample != function.by_offset.end() && sample->first < begin + one.length; ++sample)
                add(counts, sample->second);
            rows.push_back({(symbol.address + at).value(), printable_lines(one.text), counts});
            at += one.length;
        }
        return rows.size() <= most_instructions ? rows : near_samples(rows);
    }

private:
    pp::Disassembler* of_image(const ImageName& image) {
        const auto [at, is_new] = disassemblers_.try_emplace(image);
        if (!is_new) return at->second.get();
        const auto path = loaded_.file_of(image);
        if (!path || loaded_.is_other_build(image)) return nullptr;
        try {
            const MappedFile file(*path);
            if (const auto machine = pp::machine_of(file.bytes()))
                at->second = std::make_unique<pp::Disassembler>(*machine);
        } catch (const Error& error) {
            loaded_.samples().notes().warn(printable(*path) + " is not disassembled: " + error.what());
        }
        return at->second.get();
    }

    static std::vector<pp::CodeRow> near_samples(const std::vector<pp::CodeRow>& rows) {
        std::vector<bool> is_near(rows.size());
        for (size_t i = 0; i < rows.size(); ++i) {
            if (std::accumulate(rows[i].counts.begin(), rows[i].counts.end(), uint64_t{0}) == 0) continue;
            const size_t end = std::min(rows.size(), i + instructions_around + 1);
            for (size_t near = i - std::min(i, instructions_around); near < end; ++near)
                is_near[near] = true;
        }
        std::vector<pp::CodeRow> kept;
        for (size_t i = 0; i < rows.size(); ++i)
            if (is_near[i]) kept.push_back(rows[i]);
        return kept;
    }

    LoadedProfile& loaded_;
    pp::Demangle demangle_;
    std::map<ImageName, std::unique_ptr<pp::Disassembler>> disassemblers_;
};

/// A function by what both sides of a comparison call it.
using FunctionName = std::pair<ImageName, std::string>;

/// The code of one profile.
class ProfileCode {
public:
    ProfileCode(LoadedProfile& loaded, const std::vector<std::string>& events, const PageCodeOptions& options)
        : loaded_(loaded),
          profile_(loaded.profile()),
          demangle_(options.demangle),
          counts_(profile_, events),
          sampled_(sampled_functions(profile_, counts_)),
          chosen_(hot_functions(sampled_, options.share)) {}

    void add_names(std::set<FunctionName>& names) const {
        for (const HotFunction& function : chosen_)
            names.insert(name_of(function));
    }
    /// Chooses the functions of these names.
    void choose(const std::set<FunctionName>& names) {
        chosen_.clear();
        for (const HotFunction& function : sampled_.functions)
            if (names.contains(name_of(function))) chosen_.push_back(function);
    }
    void add_code(std::vector<pp::PageCode>& code, size_t side) {
        add_offsets(chosen_, profile_, counts_);
        Sources sources(loaded_);
        Instructions instructions(loaded_, demangle_);
        for (const HotFunction& function : chosen_) {
            pp::PageCode one{.location = function.location,
                             .side = side,
                             .files = FunctionSources(function, profile_, sources).files(),
                             .instructions = instructions.of(function)};
            if (!one.files.empty() || !one.instructions.empty()) code.push_back(std::move(one));
        }
    }

private:
    FunctionName name_of(const HotFunction& function) const {
        const pp::ProfileSymbol& symbol = profile_.symbols[function.symbol];
        const pp::ProfileImage& image = profile_.images[symbol.image];
        return {image.name, std::string(image.symbols->name(*symbol.symbol, demangle_))};
    }

    LoadedProfile& loaded_;
    const pp::Profile& profile_;
    const pp::Demangle demangle_;
    const EventCounts counts_;
    const SampledFunctions sampled_;
    std::vector<HotFunction> chosen_;
};

}  // namespace

std::vector<pp::PageCode> page_code(const std::vector<LoadedProfile*>& loaded,
                                    const PageCodeOptions& options) {
    const auto events = different_events(pp::event_names(loaded.front()->profile().columns));
    std::vector<ProfileCode> profiles;
    profiles.reserve(loaded.size());
    std::set<FunctionName> names;
    for (LoadedProfile* const one : loaded)
        profiles.emplace_back(*one, events, options).add_names(names);
    std::vector<pp::PageCode> code;
    for (size_t side = 0; side < profiles.size(); ++side) {
        if (profiles.size() > 1) profiles[side].choose(names);
        profiles[side].add_code(code, side);
    }
    return code;
}

}  // namespace op::tool
