// SPDX-License-Identifier: GPL-2.0-or-later
// A pass over the locations of a finished profile.
#include "libpp/split_inlines.h"

#include <map>
#include <optional>
#include <unordered_map>

#include "libop/ledger.h"

namespace op::pp {

namespace {

/// The symbols of one image by name, its own and those of inlined functions.
using SymbolsByName = std::unordered_map<std::string_view, const ImageSymbol*>;

class Splitter {
public:
    Splitter(Profile& profile, const SplitOptions& options)
        : profile_(profile), options_(options), by_name_(profile.images.size()) {
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
        profile_.check();
    }

private:
    /// The locations of one instruction: that of the innermost function first.
    using Chain = std::vector<uint32_t>;

    void split_sample(size_t sample) {
        const StackSamples& stack = profile_.samples[sample];
        const Chain chain = chain_of(profile_.frames[stack.first_frame], false);
        profile_.frames[stack.first_frame] = chain.front();
        count_calls(chain, stack.app, &profile_.counts[sample * width()]);
    }

    /// The call leads from the innermost function at the caller's instruction. What is called is a function
    /// with code of its own: nothing changes there.
    void split_call(size_t index) {
        Arc& arc = profile_.arcs[index];
        const Chain chain = chain_of(arc.caller, true);
        arc.caller = chain.front();
        count_calls(chain, arc.caller_app, &profile_.arc_counts[index * width()]);
    }

    size_t width() const { return profile_.columns.size(); }

    const Chain& chain_of(uint32_t location, bool is_return_address) {
        const auto [at, is_new] = chains_.try_emplace(location);
        if (is_new) at->second = make_chain(location, is_return_address);
        return at->second;
    }

    Chain make_chain(uint32_t index, bool is_return_address) {
        const Location outer = profile_.locations[index];
        if (outer.symbol == Location::no_symbol) return {index};
        const uint64_t offset = outer.offset.value();
        const ImageOffset inside{is_return_address && offset > 0 ? offset - 1 : offset};
        const auto frames = profile_.images[outer.image].symbols->frames(inside);
        Chain chain;
        for (size_t i = 0; i + 1 < frames.size(); ++i) {
            if (frames[i].function.empty()) continue;  // a function without a name is part of its caller
            chain.push_back(static_cast<uint32_t>(profile_.locations.size()));
            profile_.locations.push_back(
                {outer.image, symbol(outer, frames[i].function), outer.offset, true});
        }
        chain.push_back(index);
        return chain;
    }

    /// The index of the symbol of that name in the location's image.
    uint32_t symbol(const Location& at, std::string_view name) {
        const ImageSymbol* const found = find(at, name);
        const auto [index, is_new] =
            indexes_.try_emplace(found, static_cast<uint32_t>(profile_.symbols.size()));
        if (is_new) profile_.symbols.push_back({at.image, found, is_made_here(found)});
        return index->second;
    }

    bool is_made_here(const ImageSymbol* symbol) const {
        return !profile_.inlined.empty() && profile_.inlined.back().get() == symbol;
    }

    const ImageSymbol* find(const Location& at, std::string_view name) {
        ImageSymbols& symbols = *profile_.images[at.image].symbols;
        SymbolsByName& known = by_name_[at.image];
        if (known.empty())
            for (const ImageSymbol& symbol : symbols.symbols())
                known.emplace(symbol.name, &symbol);
        const ImageSymbol*& found = known[name];
        if (!found) {
            profile_.inlined.push_back(std::make_shared<ImageSymbol>(
                ImageSymbol{at.offset, 1, symbols.link_address(at.offset), name, false}));
            found = profile_.inlined.back().get();
        }
        return found;
    }

    void count_calls(const Chain& chain, uint32_t app, const uint64_t* counts) {
        for (size_t i = 0; options_.with_calls && i + 1 < chain.size(); ++i) {
            auto& sums = calls_[{app, chain[i + 1], chain[i]}];
            sums.resize(width());
            for (size_t column = 0; column < width(); ++column)
                sums[column] = add_saturating(sums[column], counts[column]);
        }
    }

    void add_inlined_calls() {
        for (const auto& [call, counts] : calls_) {
            profile_.arcs.push_back({call.app, call.app, call.caller, call.callee});
            profile_.arc_counts.insert(profile_.arc_counts.end(), counts.begin(), counts.end());
        }
    }

    struct InlinedCall {
        uint32_t app, caller, callee;  ///< the latter two indexes into Profile::locations
        auto operator<=>(const InlinedCall&) const = default;
    };

    Profile& profile_;
    const SplitOptions& options_;
    std::vector<SymbolsByName> by_name_;  ///< per image
    std::unordered_map<const ImageSymbol*, uint32_t> indexes_;
    std::unordered_map<uint32_t, Chain> chains_;  ///< by location
    std::map<InlinedCall, std::vector<uint64_t>> calls_;
};

}  // namespace

void split_by_inlined_functions(Profile& profile, const SplitOptions& options) {
    Splitter(profile, options).split();
}

}  // namespace op::pp
