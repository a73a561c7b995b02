// SPDX-License-Identifier: GPL-2.0-or-later
// A profile with call stacks, put together by the names of functions.
#pragma once

#include <cstdlib>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "libpp/profile/profile.h"
#include "tests/unit/fake_symbols.h"

namespace op::test {

/// The applications /bin/app (image 0) with the functions main, f, g, h and /bin/other (image 2) with main;
/// the library /lib/libc.so (image 1) with malloc, free, f. Sample counts are those of the stacks.
struct FakeStacks {
    FakeSymbols app{{"main", 0x100, 0x100}, {"f", 0x200, 0x100}, {"g", 0x300, 0x100}, {"h", 0x400, 0x100}};
    FakeSymbols libc{{"malloc", 0x100, 0x100}, {"free", 0x200, 0x100}, {"f", 0x300, 0x100}};
    FakeSymbols other{{"main", 0x100, 0x100}};
    pp::Profile profile;

    explicit FakeStacks(size_t columns = 1) {
        profile.columns.resize(columns);
        const auto file = [](const char* path) { return ImageName{ImageName::Kind::file, path}; };
        profile.images = {
            {file("/bin/app"), &app}, {file("/lib/libc.so"), &libc}, {file("/bin/other"), &other}};
        profile.stacks.add({0, 0, pp::StackNodeKind::root});
    }

    /// A frame: "f", "f@8" (8 bytes into it), "libc:malloc", "libc:" (code in no function).
    using Frames = std::vector<std::string>;

    /// Counts samples with that stack, outermost function first.
    void add(uint32_t application, const Frames& frames, uint64_t count, uint32_t end = 0,
             uint32_t column = 0) {
        using Kind = pp::StackNodeKind;
        uint32_t node = child(0, application, Kind::application);
        if (end != 0) node = child(node, end, Kind::cut);
        for (size_t i = 0; i < frames.size(); ++i) {
            const Kind kind = i + 1 == frames.size() ? Kind::code : Kind::call;
            node = child(node, location(application, frames[i], kind), kind);
        }
        counts_[{node, column}] += count;
        profile.stacks.counts.clear();
        for (const auto& [at, samples] : counts_)
            profile.stacks.counts.push_back({at.first, at.second, samples});
    }

    /// The profile, with flat samples that agree with its stacks.
    pp::Profile& finish() {
        std::map<std::pair<uint32_t, uint32_t>, std::vector<uint64_t>> flat;
        const auto& nodes = profile.stacks.nodes;
        for (const auto& [at, samples] : counts_) {
            uint32_t app = at.first;
            while (nodes[app].kind != pp::StackNodeKind::application)
                app = nodes[app].parent;
            auto& sums = flat[{nodes[app].location, nodes[at.first].location}];
            sums.resize(profile.columns.size());
            sums[at.second] += samples;
        }
        for (const auto& [at, counts] : flat) {
            profile.samples.push_back({at.first, static_cast<uint32_t>(profile.frames.size()), 1});
            profile.frames.push_back(at.second);
            profile.counts.insert(profile.counts.end(), counts.begin(), counts.end());
        }
        profile.check();
        return profile;
    }

private:
    uint32_t child(uint32_t parent, uint32_t location, pp::StackNodeKind kind) {
        const auto [at, is_new] = nodes_.try_emplace({parent, location, kind});
        if (is_new) at->second = profile.stacks.add({parent, location, kind});
        return at->second;
    }

    uint32_t location(uint32_t application, const std::string& text, pp::StackNodeKind kind) {
        const size_t colon = text.find(':'), at = text.find('@');
        const uint32_t image = colon == text.npos ? application : 1;
        const std::string name =
            colon == text.npos ? text.substr(0, at) : text.substr(colon + 1, at - colon - 1);
        const uint64_t inside = at == text.npos ? 4 : std::strtoull(text.c_str() + at + 1, nullptr, 16);
        const uint32_t symbol = symbol_of(image, name);
        const uint64_t start =
            symbol == pp::Location::no_symbol ? 0x10 : profile.symbols[symbol].symbol->start.value();
        const auto [found, is_new] = locations_.try_emplace({image, start + inside, kind});
        if (is_new) {
            found->second = static_cast<uint32_t>(profile.locations.size());
            profile.locations.push_back({image, symbol, ImageOffset{start + inside}});
        }
        return found->second;
    }

    uint32_t symbol_of(uint32_t image, const std::string& name) {
        for (uint32_t i = 0; i < profile.symbols.size(); ++i)
            if (profile.symbols[i].image == image && profile.symbols[i].symbol->name == name) return i;
        for (const pp::ImageSymbol& symbol : profile.images[image].symbols->symbols())
            if (symbol.name == name) {
                profile.symbols.push_back({image, &symbol});
                return static_cast<uint32_t>(profile.symbols.size() - 1);
            }
        return pp::Location::no_symbol;
    }

    std::map<std::tuple<uint32_t, uint32_t, pp::StackNodeKind>, uint32_t> nodes_;
    std::map<std::tuple<uint32_t, uint64_t, pp::StackNodeKind>, uint32_t> locations_;
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> counts_;
};

}  // namespace op::test
