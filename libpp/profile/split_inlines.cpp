// SPDX-License-Identifier: GPL-2.0-or-later
// A pass over the locations of a finished profile.
#include "libpp/profile/split_inlines.h"

#include <map>
#include <optional>
#include <span>
#include <unordered_map>

#include "libop/session/ledger.h"

namespace op::pp {

namespace {

/// The symbols of one image, its own and those of inlined functions.
struct KnownSymbols {
    std::unordered_map<std::string_view, const ImageSymbol*> by_name;
    /// Indexes into Profile::symbols by where a name lies in memory: names are long, and few.
    std::unordered_map<const char*, uint32_t> indexes;
};

class Splitter {
public:
    Splitter(Profile& profile, const SplitOptions& options)
        : profile_(profile),
          options_(options),
          images_(profile.images.size()),
          chains_(profile.locations.size()) {
        for (uint32_t i = 0; i < profile.symbols.size(); ++i)
            indexes_.emplace(profile.symbols[i].symbol, i);
    }

    void split() {
        const size_t arcs = profile_.arcs.size();
        for (size_t i = 0; i < profile_.samples.size(); ++i)
            split_sample(i);
        for (size_t i = 0; i < arcs; ++i)
            split_call(i);
        add_inlined_calls();
        if (options_.with_calls && !profile_.stacks.is_empty()) split_stacks();
        profile_.check();
    }

private:
    /// The locations of one instruction: that of the innermost function first.
    using Chain = std::span<const uint32_t>;
    /// Their place in links_.
    struct ChainPlace {
        uint32_t first = 0, count = 0;  ///< 0 = not yet known
    };

    void split_sample(size_t sample) {
        const StackSamples& stack = profile_.samples[sample];
        const Chain chain = chain_of(profile_.frames[stack.first_frame], CodeAddress::instruction);
        profile_.frames[stack.first_frame] = chain.front();
        count_calls(chain, stack.app, &profile_.counts[sample * width()]);
    }

    /// The call leads from the innermost function at the caller's instruction. What is called is a function
    /// with code of its own: nothing changes there.
    void split_call(size_t index) {
        Arc& arc = profile_.arcs[index];
        const Chain chain = chain_of(arc.caller, CodeAddress::return_address);
        arc.caller = chain.front();
        count_calls(chain, arc.caller_app, &profile_.arc_counts[index * width()]);
    }

    /// Each node becomes one for each function at its instruction, the innermost below the others.
    void split_stacks() {
        const StackTree whole = std::move(profile_.stacks);
        StackTree& tree = profile_.stacks = {};
        std::vector<uint32_t> numbers;  // of the innermost function's node
        for (const StackNode& node : whole.nodes) {
            uint32_t at = numbers.empty() ? 0 : numbers[node.parent];
            const Chain chain = node.is_code() ? chain_of(node.location, address_kind(node)) : Chain();
            if (chain.empty()) at = tree.add({at, node.location, node.kind});
            for (size_t i = chain.size(); i-- > 0;)
                at = tree.add({at, chain[i], node.kind});
            numbers.push_back(at);
        }
        tree.counts = whole.counts;
        for (StackCount& count : tree.counts)
            count.node = numbers[count.node];
    }

    size_t width() const { return profile_.columns.size(); }

    /// Valid until the next call.
    Chain chain_of(uint32_t location, CodeAddress kind) {
        ChainPlace& chain = chains_[location];
        if (chain.count == 0) {
            chain.first = static_cast<uint32_t>(links_.size());
            add_links(location, kind);
            chain.count = static_cast<uint32_t>(links_.size()) - chain.first;
        }
        return Chain(links_).subspan(chain.first, chain.count);
    }

    /// Adds at least one.
    void add_links(uint32_t index, CodeAddress kind) {
        const Location outer = profile_.locations[index];
        const size_t before = links_.size();
        if (outer.symbol != Location::no_symbol) add_inlined(outer, kind);
        if (links_.size() == before || options_.with_calls) links_.push_back(index);
    }

    void add_inlined(const Location& outer, CodeAddress kind) {
        const ImageOffset inside = code_byte(outer.offset, kind);
        ImageSymbols& symbols = *profile_.images[outer.image].symbols;
        read_lines(outer, symbols);
        const size_t most = options_.with_calls ? SIZE_MAX : 1;  // the others are of no use
        for (const auto name : symbols.inlined_functions(inside, most)) {
            links_.push_back(static_cast<uint32_t>(profile_.locations.size()));
            profile_.locations.push_back({.image = outer.image,
                                          .symbol = symbol(outer, name),
                                          .offset = outer.offset,
                                          .is_inlined = true});
        }
    }

    /// A unit's lines before its functions: libdw makes a small block of memory of each, and they lie close
    /// together only where little was freed before. Locations are sorted, so a unit begins with a symbol.
    void read_lines(const Location& at, ImageSymbols& symbols) {
        if (options_.with_lines && at.symbol != last_symbol_) symbols.line(at.offset);
        last_symbol_ = at.symbol;
    }

    /// The index of the symbol of that name in the location's image.
    uint32_t symbol(const Location& at, std::string_view name) {
        KnownSymbols& known = images_[at.image];
        const auto [index, is_new_name] = known.indexes.try_emplace(name.data());
        if (!is_new_name) return index->second;
        const size_t made = profile_.inlined.size();
        const ImageSymbol* const found = find(at, name, known);
        const auto [place, is_new] =
            indexes_.try_emplace(found, static_cast<uint32_t>(profile_.symbols.size()));
        if (is_new)
            profile_.symbols.push_back(
                {.image = at.image, .symbol = found, .is_inlined = profile_.inlined.size() > made});
        return index->second = place->second;
    }

    /// Made here if the image has none of that name.
    const ImageSymbol* find(const Location& at, std::string_view name, KnownSymbols& known) {
        ImageSymbols& symbols = *profile_.images[at.image].symbols;
        if (known.by_name.empty())
            for (const ImageSymbol& symbol : symbols.symbols())
                known.by_name.emplace(symbol.name, &symbol);
        const ImageSymbol*& found = known.by_name[name];
        if (!found) {
            profile_.inlined.push_back(
                std::make_shared<ImageSymbol>(ImageSymbol{.start = at.offset,
                                                          .length = 1,
                                                          .address = symbols.link_address(at.offset),
                                                          .name = name,
                                                          .artificial = false}));
            found = profile_.inlined.back().get();
        }
        return found;
    }

    void count_calls(Chain chain, uint32_t app, const uint64_t* counts) {
        if (!options_.with_calls || !profile_.stacks.is_empty()) return;  // stacks have these calls
        for (size_t i = 0; i + 1 < chain.size(); ++i) {
            auto& sums = calls_[{app, chain[i + 1], chain[i]}];
            sums.resize(width());
            for (size_t column = 0; column < width(); ++column)
                sums[column] = add_saturating(sums[column], counts[column]);
        }
    }

    void add_inlined_calls() {
        for (const auto& [call, counts] : calls_) {
            profile_.arcs.push_back({.caller_app = call.app,
                                     .callee_app = call.app,
                                     .caller = call.caller,
                                     .callee = call.callee});
            profile_.arc_counts.insert(profile_.arc_counts.end(), counts.begin(), counts.end());
        }
    }

    struct InlinedCall {
        uint32_t app, caller, callee;  ///< the latter two indexes into Profile::locations
        auto operator<=>(const InlinedCall&) const = default;
    };

    Profile& profile_;
    const SplitOptions& options_;
    std::vector<KnownSymbols> images_;
    std::unordered_map<const ImageSymbol*, uint32_t> indexes_;  ///< into Profile::symbols
    std::vector<ChainPlace> chains_;                            ///< per location of the profile as it was
    uint32_t last_symbol_ = Location::no_symbol;
    std::vector<uint32_t> links_;  ///< of all chains
    std::map<InlinedCall, std::vector<uint64_t>> calls_;
};

}  // namespace

void split_by_inlined_functions(Profile& profile, const SplitOptions& options) {
    Splitter(profile, options).split();
}

}  // namespace op::pp
