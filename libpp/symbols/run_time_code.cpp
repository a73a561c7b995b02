// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the files, and makes ImageSymbols of what libop/jit reads.
#include "libpp/symbols/run_time_code.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "libop/base/error.h"
#include "libop/session/session_files.h"

namespace op::pp {

namespace {

constexpr std::string_view image_prefix = "[jit]";

/// "file:///src/a.js" of V8 -> "/src/a.js"
std::string_view path_of(std::string_view file) {
    constexpr std::string_view local = "file://";
    return file.starts_with("file:///") ? file.substr(local.size()) : file;
}

class RunTimeSymbols final : public ImageSymbols, public ImageLines {
public:
    RunTimeSymbols(std::vector<CodeSymbol> code, std::string image_name)
        : code_(std::move(code)), image_name_(std::move(image_name)) {
        uint64_t end = 0;
        for (const CodeSymbol& symbol : code_) {
            add_unknown(end, symbol.address);
            symbols_.push_back(
                {ImageOffset{symbol.address}, symbol.size, LinkAddress{symbol.address}, symbol.name, false});
            has_lines_ |= !symbol.lines.empty();
            end = symbol.end();
        }
        add_unknown(end, UINT64_MAX);
    }

    std::span<const ImageSymbol> symbols() const override { return symbols_; }
    bool has_symbols() const override { return !code_.empty(); }
    std::string_view name(const ImageSymbol& symbol, Demangle mode) override {
        if (mode == Demangle::none || symbol.artificial) return symbol.name;
        auto [at, is_new] = names_[mode == Demangle::smart].try_emplace(symbol.name);
        if (is_new) at->second = demangle(symbol.name, mode);
        return at->second;
    }
    std::span<const std::byte> code(const ImageSymbol& symbol) override {
        const CodeSymbol* const found = find_code(symbol.start);
        return found ? std::span<const std::byte>(found->code) : std::span<const std::byte>{};
    }
    ImageLines& lines() override { return *this; }

    bool has_lines() override { return has_lines_; }
    std::optional<SourceLine> line(ImageOffset offset) override {
        const CodeSymbol* const symbol = find_code(offset);
        if (!symbol) return std::nullopt;
        const auto next = std::ranges::upper_bound(symbol->lines, offset.value(), {}, &CodeLine::address);
        if (next == symbol->lines.begin()) return std::nullopt;
        return SourceLine{path_of(std::prev(next)->file), std::prev(next)->line};
    }
    std::vector<InlineFrame> frames(ImageOffset offset) override {
        const auto at = line(offset);
        return at ? std::vector<InlineFrame>{{{}, at->file, at->line}} : std::vector<InlineFrame>{};
    }
    std::vector<std::string_view> inlined_functions(ImageOffset, size_t) override { return {}; }

private:
    void add_unknown(uint64_t start, uint64_t end) {
        if (start < end)
            symbols_.push_back({ImageOffset{start}, end - start, LinkAddress{start}, image_name_, true});
    }
    const CodeSymbol* find_code(ImageOffset offset) const {
        const auto next = std::ranges::upper_bound(code_, offset.value(), {}, &CodeSymbol::address);
        if (next == code_.begin() || offset.value() >= std::prev(next)->end()) return nullptr;
        return &*std::prev(next);
    }

    std::vector<CodeSymbol> code_;
    std::string image_name_;
    std::vector<ImageSymbol> symbols_;
    bool has_lines_ = false;
    std::unordered_map<std::string_view, std::string> names_[2];
};

}  // namespace

LinkAddress shown_address(const ImageSymbols& symbols, const ImageSymbol& symbol) {
    const unsigned generation = code_generation(symbol.address.value());
    if (generation == 0 || symbol.artificial) return symbol.address;
    const uint64_t plain = plain_address(symbol.address.value());
    for (unsigned other = 0; other <= last_code_generation; ++other) {
        const ImageSymbol* const at = symbols.find(ImageOffset{tagged_address(plain, other)});
        if (other != generation && at && !at->artificial) return symbol.address;
    }
    return LinkAddress{plain};
}

void RunTimeCode::add(const SessionReader& session, const std::set<uint32_t>& tgids, Diagnostics& notes) {
    const auto is_wanted = [&](std::string_view path) {
        const auto tgid = parse_jo_path(path);
        return tgid && tgids.contains(*tgid);
    };
    for (const std::string& path : list_session_files(session.directory(), session.path(), is_wanted))
        try {
            auto file = read_jo(session.directory(), session.path(), path);
            if (file) add(session.path() + "/" + path, *parse_jo_path(path), std::move(*file));
            if (file) files_.emplace_back(sessions_, path);
        } catch (const Error& error) {
            notes.warn(std::string(error.what()) + "; its functions are not named");
        }
    ++sessions_;
}

void RunTimeCode::add(std::string path, uint32_t tgid, JoFile file) {
    const auto [at, is_new] = processes_.try_emplace(tgid);
    Process& process = at->second;
    if (!is_new) file.code = joined_code(std::move(process.file.code), std::move(file.code));
    process = {std::move(file), std::move(path)};
    tgids_[name_of(tgid, process)] = tgid;
}

ImageName RunTimeCode::name_of(uint32_t tgid, const Process& process) {
    const std::string number = std::to_string(tgid);
    const bool is_ours = process.file.is_ours;
    return {ImageName::Kind::anon, is_ours ? std::string(image_prefix) + " " + number : number + ".jo"};
}

std::optional<PlacedRegion> RunTimeCode::place(const ImageName& region) const {
    if (region.kind != ImageName::Kind::anon) return std::nullopt;
    const auto at = processes_.find(region.tgid);
    if (at == processes_.end()) return std::nullopt;
    return PlacedRegion{name_of(at->first, at->second), region.start};
}

std::unique_ptr<ImageSymbols> RunTimeCode::open(const ImageName& image) const {
    const auto at = tgids_.find(image);
    if (at == tgids_.end()) return nullptr;
    return std::make_unique<RunTimeSymbols>(processes_.at(at->second).file.code.symbols, image.name);
}

std::string RunTimeCode::file(const ImageName& image) const {
    const auto at = tgids_.find(image);
    return at == tgids_.end() ? "" : processes_.at(at->second).path;
}

ImageName RunTimeCode::merged_image(const ImageName& image) {
    const bool is_one = image.kind == ImageName::Kind::anon && image.tgid == 0 &&
                        (image.name.starts_with(image_prefix) || image.name.ends_with(".jo"));
    return is_one ? ImageName{ImageName::Kind::anon, std::string(image_prefix)} : image;
}

}  // namespace op::pp
