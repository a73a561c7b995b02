// SPDX-License-Identifier: GPL-2.0-or-later
// Rows become locations, symbols and the tree of stacks. A symbol reaches from the first place of its
// function to the next one's; lines are those of the sampled places.
#include "fleet/fleet_profile.h"

#include <algorithm>
#include <deque>
#include <set>

#include "libop/base/text.h"
#include "libop/session/ledger.h"
#include "libop/stacks/stack_frame.h"

namespace op::fleet {
namespace {

using pp::CodeAddress;

/// The names of the sampled places of an image.
class PlacedSymbols final : public pp::ImageSymbols, private pp::ImageLines {
public:
    /// `end` is behind all places.
    PlacedSymbols(std::map<uint64_t, PlaceName> places, uint64_t end) : places_(std::move(places)) {
        std::map<uint64_t, std::string_view> firsts;
        for (const auto& [place, name] : places_)
            if (!name.function.empty() && name.first <= place) firsts.try_emplace(name.first, name.function);
        for (auto at = firsts.begin(); at != firsts.end(); ++at) {
            const uint64_t next =
                std::next(at) == firsts.end() ? std::max(end, at->first + 1) : std::next(at)->first;
            symbols_.push_back(
                {ImageOffset{at->first}, next - at->first, LinkAddress{at->first}, at->second, false});
        }
    }

    /// The symbol of a place that has a name; else null.
    const pp::ImageSymbol* symbol_of(uint64_t place) const {
        const auto at = places_.find(place);
        return at == places_.end() || at->second.function.empty() ? nullptr : find(ImageOffset{place});
    }

    std::span<const pp::ImageSymbol> symbols() const override { return symbols_; }
    bool has_symbols() const override { return !symbols_.empty(); }
    /// The server has them demangled.
    std::string_view name(const pp::ImageSymbol& symbol, pp::Demangle) override { return symbol.name; }
    std::span<const std::byte> code(const pp::ImageSymbol&) override { return {}; }
    pp::ImageLines& lines() override { return *this; }

private:
    bool has_lines() override {
        return std::ranges::any_of(places_, [](const auto& each) { return !each.second.file.empty(); });
    }
    std::optional<pp::SourceLine> line(ImageOffset offset) override {
        const auto at = places_.find(offset.value());
        if (at == places_.end() || at->second.file.empty()) return std::nullopt;
        return pp::SourceLine{at->second.file, at->second.line};
    }
    std::vector<pp::InlineFrame> frames(ImageOffset offset) override {
        const auto of_line = line(offset);
        if (!of_line) return {};
        return {{places_.at(offset.value()).function, of_line->file, of_line->line}};
    }
    std::vector<std::string_view> inlined_functions(ImageOffset, size_t) override { return {}; }

    std::map<uint64_t, PlaceName> places_;
    std::vector<pp::ImageSymbol> symbols_;
};

uint64_t code_byte_of(uint64_t place, CodeAddress kind) {
    return pp::code_byte(ImageOffset{place}, kind).value();
}

/// The nodes above a node and itself, outermost first; empty if they are not all there, or are no stack.
std::vector<uint64_t> chain_of(const std::map<uint64_t, StackNodeRow>& stacks, uint64_t stack) {
    std::vector<uint64_t> chain;
    for (uint64_t at = stack; at != 0;) {
        const auto node = stacks.find(at);
        if (node == stacks.end() || chain.size() > deepest_stack) return {};
        chain.push_back(at);
        at = node->second.parent;
    }
    std::ranges::reverse(chain);
    for (size_t i = 0; i < chain.size(); ++i) {
        const uint8_t kind = stacks.at(chain[i]).kind;
        const bool is_application = kind == StackNodeRow::application, is_cut = kind == StackNodeRow::cut;
        if (is_application != (i == 0) || kind > StackNodeRow::return_address || (is_cut && i != 1))
            return {};
    }
    return chain;
}

class ProfileBuilder {
public:
    ProfileBuilder(const ProfileRows& rows, const FleetImages& images, FleetProfile& built)
        : rows_(rows), fleet_images_(images), built_(built), profile_(built.profile) {}

    void run(const FleetEvent& event) {
        profile_.columns.push_back({event.name, event.period, event.unit_mask, {}, {}, {}});
        for (const PlaceCount& sample : rows_.samples) {
            want(sample.image, sample.place, CodeAddress::instruction);
            image(sample.app);
            selected_.emplace(sample.app, sample.image);
        }
        for (const auto& [stack, hits] : rows_.stack_samples)
            add_chain(chain_of(rows_.stacks, stack), hits);
        make_symbols();
        make_locations();
        for (const PlaceCount& sample : rows_.samples)
            add_sample(sample);
        make_stacks();
        profile_.check();
    }

private:
    /// An image, a place and whether it is a return address.
    using Key = std::tuple<uint64_t, uint64_t, bool>;

    void add_chain(std::vector<uint64_t> chain, uint64_t hits) {
        if (chain.empty()) {
            built_.lost_stacks = add_saturating(built_.lost_stacks, hits);
            return;
        }
        if (!is_selected(chain)) return;
        for (const uint64_t each : chain) {
            const StackNodeRow& node = rows_.stacks.at(each);
            if (node.kind == StackNodeRow::application)
                image(node.image);
            else if (node.kind != StackNodeRow::cut)
                want(node.image, node.place, address_of(node));
        }
        chains_.emplace_back(std::move(chain), hits);
    }

    /// As its innermost frame is: by samples in that image, on behalf of that application.
    bool is_selected(const std::vector<uint64_t>& chain) const {
        const uint64_t app = rows_.stacks.at(chain.front()).image;
        const StackNodeRow& leaf = rows_.stacks.at(chain.back());
        return selected_.contains({app, is_place(leaf) ? leaf.image : app});
    }

    static bool is_place(const StackNodeRow& node) {
        return node.kind == StackNodeRow::address || node.kind == StackNodeRow::return_address;
    }

    static CodeAddress address_of(const StackNodeRow& node) {
        return node.kind == StackNodeRow::return_address ? CodeAddress::return_address
                                                         : CodeAddress::instruction;
    }

    void want(uint64_t of_image, uint64_t place, CodeAddress kind) {
        image(of_image);
        locations_.try_emplace({of_image, place, kind == CodeAddress::return_address}, 0);
    }

    uint32_t image(uint64_t number) {
        const auto [at, is_new] = images_.try_emplace(number, static_cast<uint32_t>(profile_.images.size()));
        if (!is_new) return at->second;
        const FleetImage* known = fleet_images_.find(number);
        ImageName name;
        name.name = fleet_images_.path(number);
        if (!known || known->kind == "anon" || !name.name.starts_with('/')) name.kind = ImageName::Kind::anon;
        if (known && known->kind == "kernel") name.kind = ImageName::Kind::kernel;
        if (known && name.kind != ImageName::Kind::anon) add_build(name.name, known->build_id);
        profile_.images.push_back({std::move(name), nullptr});
        return at->second;
    }

    /// Several builds of a path have none.
    void add_build(const std::string& path, const std::string& build_id) {
        const auto [at, is_new] = built_.info.images.try_emplace(path, RecordedImage{.build_id = build_id});
        if (is_new || at->second.build_id == build_id) return;
        at->second.build_id.clear();
        at->second.several_builds = true;
    }

    void make_symbols() {
        std::map<uint64_t, std::map<uint64_t, PlaceName>> named;
        std::map<uint64_t, uint64_t> ends;
        for (const auto& [key, location] : locations_) {
            const auto& [of_image, place, is_call] = key;
            const uint64_t byte = byte_of(key);
            ends[of_image] = std::max(ends[of_image], place + 1);
            const auto name = rows_.places.find({of_image, byte});
            if (name != rows_.places.end()) named[of_image].insert_or_assign(byte, name->second);
        }
        built_.symbols.resize(profile_.images.size());
        for (const auto& [number, index] : images_) {
            auto symbols = std::make_unique<PlacedSymbols>(std::move(named[number]), ends[number]);
            profile_.images[index].symbols = symbols.get();
            built_.symbols[index] = std::move(symbols);
        }
    }

    static uint64_t byte_of(const Key& key) {
        return code_byte_of(std::get<1>(key),
                            std::get<2>(key) ? CodeAddress::return_address : CodeAddress::instruction);
    }

    void make_locations() {
        std::map<const pp::ImageSymbol*, uint32_t> numbers;
        for (auto& [key, location] : locations_) {
            const uint32_t index = images_.at(std::get<0>(key));
            const auto& symbols = static_cast<const PlacedSymbols&>(*built_.symbols[index]);
            const pp::ImageSymbol* const symbol = symbols.symbol_of(byte_of(key));
            uint32_t number = pp::Location::no_symbol;
            if (symbol != nullptr) {
                const auto [at, is_new] =
                    numbers.try_emplace(symbol, static_cast<uint32_t>(profile_.symbols.size()));
                if (is_new) profile_.symbols.push_back({index, symbol});
                number = at->second;
            }
            location = static_cast<uint32_t>(profile_.locations.size());
            profile_.locations.push_back({index, number, ImageOffset{std::get<1>(key)}});
        }
    }

    void add_sample(const PlaceCount& sample) {
        if (sample.hits == 0) return;
        const uint32_t location = locations_.at({sample.image, sample.place, false});
        profile_.samples.push_back(
            {images_.at(sample.app), static_cast<uint32_t>(profile_.frames.size()), 1});
        profile_.frames.push_back(location);
        profile_.counts.push_back(sample.hits);
        rest_[{images_.at(sample.app), location}] += sample.hits;
        flat_[images_.at(sample.app)] += sample.hits;
    }

    void make_stacks() {
        if (chains_.empty()) return;
        pp::StackTree& tree = profile_.stacks;
        tree.add({0, 0, pp::StackNodeKind::root});
        std::map<uint64_t, uint64_t> counts;  // by node
        for (const auto& [chain, hits] : chains_)
            counts[add_nodes(chain)] += hits;
        for (const auto& [chain, hits] : chains_)
            take(chain, hits);
        for (const auto& [key, hits] : rest_) {
            const uint64_t left = std::min(hits, flat_[key.first]);
            if (left == 0) continue;
            flat_[key.first] -= left;
            counts[tree.add({without_stack(key.first), key.second, pp::StackNodeKind::code})] += left;
        }
        for (const auto& [node, hits] : counts)
            if (hits != 0) tree.counts.push_back({static_cast<uint32_t>(node), 0, hits});
    }

    uint32_t add_nodes(const std::vector<uint64_t>& chain) {
        uint32_t at = 0;
        for (const uint64_t stack : chain) {
            const auto [known, is_new] = nodes_.try_emplace(stack, 0);
            if (is_new) known->second = profile_.stacks.add(node_of(rows_.stacks.at(stack), at));
            at = known->second;
        }
        return at;
    }

    pp::StackNode node_of(const StackNodeRow& row, uint32_t parent) const {
        if (row.kind == StackNodeRow::application)
            return {parent, images_.at(row.image), pp::StackNodeKind::application};
        if (row.kind == StackNodeRow::cut) {
            const bool is_known = row.place > static_cast<uint64_t>(StackEnd::root) &&
                                  row.place < static_cast<uint64_t>(StackEnd::count);
            const uint64_t end = is_known ? row.place : static_cast<uint64_t>(StackEnd::unsupported);
            return {parent, static_cast<uint32_t>(end), pp::StackNodeKind::cut};
        }
        const bool is_call = row.kind == StackNodeRow::return_address;
        return {parent, locations_.at({row.image, row.place, is_call}),
                is_call ? pp::StackNodeKind::call : pp::StackNodeKind::code};
    }

    /// What has a stack is taken from what has none.
    void take(const std::vector<uint64_t>& chain, uint64_t hits) {
        const uint32_t app = images_.at(rows_.stacks.at(chain.front()).image);
        uint64_t& flat = flat_[app];
        flat -= std::min(flat, hits);
        const StackNodeRow& leaf = rows_.stacks.at(chain.back());
        if (leaf.kind != StackNodeRow::address) return;
        const auto at = rest_.find({app, locations_.at({leaf.image, leaf.place, false})});
        if (at != rest_.end()) at->second -= std::min(at->second, hits);
    }

    /// The cut below an application for samples without a stack.
    uint32_t without_stack(uint32_t app) {
        const auto [at, is_new] = cuts_.try_emplace(app, 0);
        if (is_new) {
            const uint32_t above = profile_.stacks.add({0, app, pp::StackNodeKind::application});
            at->second = profile_.stacks.add({above, pp::StackTree::no_stack, pp::StackNodeKind::cut});
        }
        return at->second;
    }

    const ProfileRows& rows_;
    const FleetImages& fleet_images_;
    FleetProfile& built_;
    pp::Profile& profile_;
    std::map<uint64_t, uint32_t> images_, nodes_;       ///< indexes by the server's numbers
    std::set<std::pair<uint64_t, uint64_t>> selected_;  ///< application and image of samples
    std::map<Key, uint32_t> locations_;
    std::map<uint32_t, uint32_t> cuts_;  ///< by application
    std::vector<std::pair<std::vector<uint64_t>, uint64_t>> chains_;
    std::map<std::pair<uint32_t, uint32_t>, uint64_t>
        rest_;                           ///< samples without stack, by application and location
    std::map<uint32_t, uint64_t> flat_;  ///< by application
};

}  // namespace

void build_fleet_profile(const ProfileRows& rows, const FleetEvent& event, const FleetImages& images,
                         FleetProfile& built) {
    RecordedEvent recorded;
    recorded.name = event.name;
    recorded.count = event.period;
    recorded.unit_mask = event.unit_mask;
    recorded.kernel = event.kernel;
    recorded.user = event.user;
    built.info.events = {recorded};
    ProfileBuilder(rows, images, built).run(event);
}

}  // namespace op::fleet
