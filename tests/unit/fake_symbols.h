// SPDX-License-Identifier: GPL-2.0-or-later
// Symbols of an image that is nowhere.
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "libpp/symbols/symbolizer.h"

namespace op::test {

class FakeSymbols : public pp::ImageSymbols, public pp::ImageLines {
public:
    struct Row {
        const char* name;
        uint64_t start, length;
    };
    /// Addresses as linked are offsets + 0x400000; lines are offsets in "/src/<name>.c".
    explicit FakeSymbols(std::initializer_list<Row> rows) : FakeSymbols(std::vector<Row>(rows)) {}
    explicit FakeSymbols(const std::vector<Row>& rows) {
        for (const Row& row : rows)
            symbols_.push_back({ImageOffset{row.start}, row.length, LinkAddress{row.start + 0x400000},
                                row.name, false, std::string_view(row.name).starts_with("[0x")});
        for (const Row& row : rows)
            files_.push_back(std::string("/src/") + row.name + ".c");
    }
    std::span<const pp::ImageSymbol> symbols() const override { return symbols_; }
    std::optional<pp::SourceLine> line(ImageOffset offset) override {
        for (size_t i = 0; i < symbols_.size(); ++i)
            if (offset - symbols_[i].start < symbols_[i].length)
                return pp::SourceLine{files_[i], static_cast<uint32_t>(offset.value())};
        return std::nullopt;
    }
    std::string_view name(const pp::ImageSymbol& symbol, pp::Demangle) override {
        ++names_asked;
        return symbol.name;
    }
    bool has_symbols() const override { return true; }
    std::span<const std::byte> code(const pp::ImageSymbol&) override { return {}; }
    pp::ImageLines& lines() override { return *this; }
    bool has_lines() override { return true; }
    std::vector<pp::InlineFrame> frames(ImageOffset offset) override {
        const auto at = frames_at.find(offset.value());
        return at == frames_at.end() ? std::vector<pp::InlineFrame>{} : at->second;
    }
    std::vector<std::string_view> inlined_functions(ImageOffset offset, size_t most) override {
        std::vector<std::string_view> names;
        const auto all = frames(offset);
        for (size_t i = 0; i + 1 < all.size() && names.size() < most; ++i)
            if (!all[i].function.empty()) names.push_back(all[i].function);
        return names;
    }

    std::map<uint64_t, std::vector<pp::InlineFrame>> frames_at;  ///< by offset
    int names_asked = 0;

private:
    std::vector<pp::ImageSymbol> symbols_;
    std::vector<std::string> files_;
};

}  // namespace op::test
