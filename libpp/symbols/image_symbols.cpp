// SPDX-License-Identifier: GPL-2.0-or-later
// Symbol tables of images.
#include "libpp/symbols/image_symbols.h"

#include <sys/stat.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <unordered_map>
#include <utility>

#include "libop/base/checksum.h"
#include "libop/base/elf_object.h"
#include "libop/base/error.h"
#include "libop/base/fd.h"
#include "libop/base/text.h"
#include "libpp/object/debuginfo.h"
#include "libpp/object/debuginfo_lines.h"
#include "libpp/object/go_functions.h"
#include "libpp/object/image_bytes.h"
#include "libpp/object/mini_debuginfo.h"
#include "libpp/object/plt_stubs.h"
#include "libpp/object/section_finder.h"
#include "libpp/object/symbol_ranges.h"

namespace op::pp {
namespace {

/// Keeps symbols and their demangled names; has neither code nor debug information.
class SymbolList : public ImageSymbols, public ImageLines {
public:
    explicit SymbolList(std::vector<ImageSymbol> symbols) : symbols_(std::move(symbols)) {}

    std::span<const ImageSymbol> symbols() const override { return symbols_; }
    std::span<const std::byte> code(const ImageSymbol&) override { return {}; }
    ImageLines& lines() override { return *this; }
    bool has_lines() override { return false; }
    std::optional<SourceLine> line(ImageOffset) override { return std::nullopt; }
    std::vector<InlineFrame> frames(ImageOffset) override { return {}; }
    std::vector<std::string_view> inlined_functions(ImageOffset, size_t) override { return {}; }
    bool has_symbols() const override { return !symbols_.empty() && !symbols_.front().artificial; }
    std::string_view name(const ImageSymbol& symbol, Demangle mode) override {
        if (mode == Demangle::none || symbol.artificial) return symbol.name;
        auto [it, added] = names_[mode == Demangle::smart].try_emplace(symbol.name);
        if (added) it->second = demangle(symbol.name, mode);
        return it->second;
    }

protected:
    std::vector<ImageSymbol> symbols_;

private:
    std::unordered_map<std::string_view, std::string> names_[2];
};

/// A module's symbols as the kernel listed them, and their lines and code from its file: found by name, so
/// that it does not matter how the module was laid out.
class ListedModule final : public SymbolList {
public:
    ListedModule(std::vector<ImageSymbol> symbols, OpenFile open)
        : SymbolList(std::move(symbols)), open_(std::move(open)) {}

    std::optional<SourceLine> line(ImageOffset offset) override {
        const auto place = in_file(offset);
        return place ? file_->line(*place) : std::nullopt;
    }
    std::optional<SourceLine> declaration(ImageOffset offset, std::string_view function) override {
        const auto place = in_file(offset);
        return place ? file_->declaration(*place, function) : std::nullopt;
    }
    std::vector<InlineFrame> frames(ImageOffset offset) override {
        const auto place = in_file(offset);
        return place ? file_->frames(*place) : std::vector<InlineFrame>{};
    }
    std::vector<std::string_view> inlined_functions(ImageOffset offset, size_t most) override {
        const auto place = in_file(offset);
        return place ? file_->inlined_functions(*place, most) : std::vector<std::string_view>{};
    }
    bool has_lines() override { return file() && file()->has_lines(); }
    std::span<const std::byte> code(const ImageSymbol& symbol) override {
        const ImageSymbol* const same = file_symbol(symbol.name);
        if (!same) return {};
        const auto bytes = file_->code(*same);
        return bytes.first(std::min<uint64_t>(bytes.size(), symbol.length));
    }

private:
    ImageSymbols* file() {
        if (open_) file_ = std::exchange(open_, nullptr)();
        return file_.get();
    }
    /// Nothing if the file has several symbols of that name.
    const ImageSymbol* file_symbol(std::string_view name) {
        if (by_name_.empty() && file())
            for (const ImageSymbol& symbol : file_->symbols()) {
                const auto [at, is_new] = by_name_.try_emplace(symbol.name, &symbol);
                if (!is_new) at->second = nullptr;
            }
        const auto at = by_name_.find(name);
        return at == by_name_.end() ? nullptr : at->second;
    }
    std::optional<ImageOffset> in_file(ImageOffset offset) {
        const ImageSymbol* const symbol = find(offset);
        const ImageSymbol* const same = symbol ? file_symbol(symbol->name) : nullptr;
        if (!same || offset - symbol->start >= same->length) return std::nullopt;
        return same->start + (offset - symbol->start);
    }

    OpenFile open_;  ///< null once called
    std::unique_ptr<ImageSymbols> file_;
    std::unordered_map<std::string_view, const ImageSymbol*> by_name_;
};

class WholeImage final : public SymbolList {
public:
    explicit WholeImage(std::string name) : SymbolList({}), name_(std::move(name)) {
        symbols_.push_back({{0}, UINT64_MAX, {0}, name_, true});
    }

private:
    std::string name_;
};

class ElfImage final : public SymbolList {
public:
    ElfImage(OpenedElf file, Origin origin, const DebugFilePlaces& places, Diagnostics& notes)
        : SymbolList({}),
          file_(std::move(file.bytes)),
          object_(std::move(file.object)),
          places_{file.path, file.path, places.roots, &notes} {
        auto debug = find_debug_file(file.path, *object_, places.roots, notes);
        if (!debug && places.by_build_id) debug = fetch_debug_file(*object_, *places.by_build_id, notes);
        if (debug) {
            debug_file_ = std::make_unique<ImageBytes>(*debug);
            debug_object_ = open_elf(debug_file_->bytes(), *debug);
            debug_path_ = *debug;
        }
        read_symbols(origin);
    }

    SymbolTable table() const { return table_; }

    std::optional<SourceLine> line(ImageOffset offset) override {
        if (!find(offset)) return std::nullopt;
        return line_table().find(link_address(offset));
    }
    std::optional<SourceLine> declaration(ImageOffset offset, std::string_view function) override {
        if (!find(offset)) return std::nullopt;
        return line_table().declaration(link_address(offset), function);
    }
    std::vector<InlineFrame> frames(ImageOffset offset) override {
        if (!find(offset)) return {};
        return line_table().frames(link_address(offset));
    }
    std::vector<std::string_view> inlined_functions(ImageOffset offset, size_t most) override {
        if (!find(offset)) return {};
        return line_table().inlined_functions(link_address(offset), most);
    }
    bool has_lines() override { return line_table().has_lines(); }
    std::span<const std::byte> code(const ImageSymbol& symbol) override;
    bool has_symbols() const override { return table_ != SymbolTable::none; }

private:
    void read_symbols(Origin origin);
    std::vector<RawSymbol> left_by_stripping();
    void add(const SymbolRange& range);
    std::vector<Section> placed_sections(Origin origin, std::span<const RawSymbol> symbols) const;
    LineTable& line_table();

    std::unique_ptr<ImageBytes> file_, debug_file_;
    std::unique_ptr<ObjectFile> object_, debug_object_;
    DebugPlaces places_;  ///< of what the image itself refers to
    std::string debug_path_;
    std::unique_ptr<LineTable> lines_;
    std::optional<SectionFinder> sections_;
    std::optional<MiniDebugInfo> mini_;
    std::optional<PltStubs> stubs_;
    std::deque<std::string> made_names_;
    SymbolTable table_ = SymbolTable::full;
};

/// The address that a kernel image's offsets count from.
LinkAddress kernel_start(Origin origin, std::span<const Section> sections,
                         std::span<const RawSymbol> symbols) {
    if (origin == Origin::kernel)
        for (const char* mark : {"_text", "_stext"})
            if (const auto it = std::ranges::find(symbols, mark, &RawSymbol::name); it != symbols.end())
                return it->address;
    // A module is loaded with what code comes first in its file at the start.
    const auto first = std::ranges::find(sections, LinkAddress{relocatable_base}, &Section::address);
    if (first != sections.end() && first->code) return first->address;
    const Section* const text = find_section(sections, ".text");
    return text ? text->address : LinkAddress{0};
}

/// The section without what lies before `start`; none if nothing is left.
std::optional<Section> section_from(LinkAddress start, Section section) {
    if (section.address >= start) return section;
    const uint64_t before = start - section.address;
    if (before >= section.bytes.size()) return std::nullopt;
    section.bytes = section.bytes.subspan(before);
    section.size -= before;
    section.address = start;
    return section;
}

/// The sections where the image's offsets have them: a kernel's lie by address, not by place in the file.
std::vector<Section> ElfImage::placed_sections(Origin origin, std::span<const RawSymbol> symbols) const {
    const auto all = object_->sections();
    if (origin == Origin::file) return {all.begin(), all.end()};
    const LinkAddress start = kernel_start(origin, all, symbols);
    std::vector<Section> placed;
    for (const Section& section : all)
        if (auto rest = section_from(start, section)) {
            rest->file_offset = rest->address - start;
            placed.push_back(*rest);
        }
    return placed;
}

/// The functions that are named elsewhere than in symbol tables.
std::vector<RawSymbol> ElfImage::left_by_stripping() {
    auto functions = go_functions(object_->sections());
    try {
        const auto more = mini_.emplace(*object_, places_.path).symbols();
        functions.insert(functions.end(), more.begin(), more.end());
    } catch (const Error& e) {
        places_.notes->warn(std::string(e.what()) + ": its symbols are not used");
    }
    return functions;
}

void ElfImage::read_symbols(Origin origin) {
    auto raw = object_->symbols(false);
    if (debug_object_) {
        const auto more = debug_object_->symbols(false);
        raw.insert(raw.end(), more.begin(), more.end());
    }
    std::vector<LinkAddress> functions;
    if (raw.empty()) {
        raw = object_->symbols(true);
        table_ = raw.empty() ? SymbolTable::none : SymbolTable::exported;
        if (const auto left = left_by_stripping(); !left.empty()) {
            raw.insert(raw.end(), left.begin(), left.end());
            table_ = SymbolTable::full;
        }
        functions = unwind_function_starts(object_->sections());
    }
    if (raw.empty() && functions.empty()) return;
    if (const auto machine = machine_of(file_->bytes()); machine && origin == Origin::file) {
        const auto stubs = stubs_.emplace(*machine, object_->sections(), raw).symbols();
        raw.insert(raw.end(), stubs.begin(), stubs.end());
    }
    const auto sections = placed_sections(origin, raw);
    const auto ranges = make_ranges(sections, std::move(raw), functions);
    symbols_.reserve(ranges.size());
    for (const SymbolRange& range : ranges)
        add(range);
}

void ElfImage::add(const SymbolRange& range) {
    std::string_view name = range.name;
    if (!range.section.empty())
        name = made_names_.emplace_back("anonymous symbol from section " + std::string(range.section));
    const bool is_nameless = name.empty();
    if (is_nameless) name = made_names_.emplace_back("[0x" + hex(range.address.value()) + "]");
    symbols_.push_back(
        {ImageOffset{range.start}, range.length, range.address, name, range.name.empty(), is_nameless});
}

std::span<const std::byte> ElfImage::code(const ImageSymbol& symbol) {
    if (!sections_) sections_.emplace(object_->sections());
    const Section* const section = sections_->find(symbol.address);
    if (!section) return {};
    const uint64_t first = symbol.address - section->address;
    return section->bytes.subspan(first, std::min<uint64_t>(symbol.length, section->bytes.size() - first));
}

/// The debug file's lines, else the image's own.
LineTable& ElfImage::line_table() {
    if (lines_) return *lines_;
    if (debug_file_) {
        DebugPlaces places = places_;
        places.path = debug_path_;
        lines_ = std::make_unique<LineTable>(debug_file_->bytes(), places);
    }
    if (!lines_ || !lines_->has_lines()) lines_ = std::make_unique<LineTable>(file_->bytes(), places_);
    return *lines_;
}

}  // namespace

std::unique_ptr<ImageSymbols> whole_image(std::string name) {
    return std::make_unique<WholeImage>(std::move(name));
}

std::unique_ptr<ImageSymbols> listed_symbols(std::vector<ImageSymbol> symbols, OpenFile open) {
    if (open) return std::make_unique<ListedModule>(std::move(symbols), std::move(open));
    return std::make_unique<SymbolList>(std::move(symbols));
}

std::optional<std::string> fetch_debug_file(const ObjectFile& object, BuildIdSource& source,
                                            Diagnostics& notes) {
    const std::string build_id = object.build_id();
    if (build_id.empty() || object.has_debug_info()) return std::nullopt;
    const auto path = source.debug_file(build_id);
    if (!path) return std::nullopt;
    const std::string why = debug_file_fault(*path, build_id);
    if (why.empty()) return path;
    notes.warn("debug file " + printable(*path) + " is not used: " + printable(why));
    return std::nullopt;
}

OpenedElf open_elf_file(const std::string& path) {
    auto bytes = std::make_unique<ImageBytes>(path);
    auto object = open_elf(bytes->bytes(), path);
    return {path, std::move(bytes), std::move(object)};
}

ElfSymbols read_elf_symbols(OpenedElf file, Origin origin, const DebugFilePlaces& places,
                            Diagnostics& notes) {
    auto image = std::make_unique<ElfImage>(std::move(file), origin, places, notes);
    ElfSymbols result{nullptr, image->table()};
    if (!image->symbols().empty()) result.symbols = std::move(image);
    return result;
}

namespace {

/// What a file shows of what is recorded of one. Its content is read only if the rest agrees.
RecordedImage facts_of(const std::string& path, const RecordedImage& recorded) {
    struct stat st {};
    if (::stat(path.c_str(), &st) != 0) return {};
    RecordedImage now{.mtime = static_cast<uint64_t>(st.st_mtim.tv_sec),
                      .size = static_cast<uint64_t>(st.st_size)};
    if (recorded.checksum == 0 || recorded.has_other_content(now)) return now;
    const auto sum = file_checksum(open_regular(path), now.size, checksum_bytes);
    if (!sum) throw_system("cannot read " + printable(path));
    now.checksum = *sum;
    return now;
}

}  // namespace

FileChange file_change(const std::string& path, const std::string& build_id, const RecordedImage& recorded) {
    if (recorded.several_builds) return FileChange::several_builds;
    if (!recorded.build_id.empty() && !build_id.empty())
        return recorded.build_id == build_id ? FileChange::none : FileChange::other_build;
    const RecordedImage now = facts_of(path, recorded);
    if (recorded.has_same_content(now)) return FileChange::none;
    if (recorded.elsewhere) return FileChange::elsewhere;
    if (recorded.has_other_content(now)) return FileChange::other_content;
    return recorded.mtime == 0 || recorded.mtime == now.mtime ? FileChange::none : FileChange::other_time;
}

std::string replacement_note(const std::string& path, FileChange change) {
    switch (change) {
        case FileChange::none:
            return "";
        case FileChange::other_build:
            return printable(path) +
                   " is not the build that was profiled (build-ids differ): its symbols may be wrong";
        case FileChange::elsewhere:
            return printable(path) +
                   " was another file where the session was recorded: its symbols may be wrong";
        case FileChange::other_content:
            return printable(path) +
                   " has another content than the file that was profiled: its symbols may be wrong";
        case FileChange::several_builds:
            return printable(path) +
                   " was profiled in several builds: the samples of all are counted at the symbols of this "
                   "one";
        case FileChange::other_time:
            break;
    }
    return printable(path) + " was changed after it was profiled: its symbols may be wrong";
}

}  // namespace op::pp
