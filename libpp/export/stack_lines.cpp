// SPDX-License-Identifier: GPL-2.0-or-later
// Stacks by name.
#include "libpp/export/stack_lines.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libop/session/ledger.h"
#include "libpp/profile/node_index.h"

namespace op::pp {

namespace {

std::string cut_text(uint32_t end) {
    return "[truncated: " + std::string(cut_name(end)) + "]";
}

std::string short_name(const ImageName& image) {
    const std::string name = printable(image.display());
    return image.kind == ImageName::Kind::anon ? name : std::string(base_name(name));
}

}  // namespace

FrameNames::FrameNames(const Profile& profile, Demangle demangle) {
    std::map<std::pair<std::string, std::string>, uint32_t> numbers;
    const auto number = [&](std::string name, std::string image) {
        const auto [at, is_new] = numbers.try_emplace({name, image}, static_cast<uint32_t>(rows_.size()));
        if (is_new) rows_.push_back({std::move(name), std::move(image)});
        return at->second;
    };
    std::vector<uint32_t> of_image, of_symbol;
    for (const ProfileImage& image : profile.images) {
        const std::string path = printable(image.name.display());
        of_application_.push_back(number(short_name(image.name), path));
        of_image.push_back(number("[" + short_name(image.name) + "]", path));
        for (const uint32_t row : {of_application_.back(), of_image.back()})
            rows_[row].is_kernel = is_kernel_image(image.name);
    }
    for (const ProfileSymbol& symbol : profile.symbols) {
        const ProfileImage& image = profile.images[symbol.image];
        of_symbol.push_back(is_whole_image(profile, symbol)
                                ? of_image[symbol.image]
                                : number(printable(image.symbols->name(*symbol.symbol, demangle)),
                                         printable(image.name.display())));
        rows_[of_symbol.back()].is_kernel = is_kernel_image(image.name);
        rows_[of_symbol.back()].is_nameless |= symbol.symbol->is_nameless && !is_whole_image(profile, symbol);
    }
    for (const Location& location : profile.locations)
        of_location_.push_back(location.symbol == Location::no_symbol ? of_image[location.image]
                                                                      : of_symbol[location.symbol]);
    cuts_ = static_cast<uint32_t>(rows_.size());
    for (uint32_t end = 0; end <= StackTree::no_stack; ++end)
        rows_.push_back({cut_text(end), ""});
}

std::string FrameNames::full_name(uint32_t number) const {
    const Row& row = rows_[number];
    std::string text = row.name;
    if (row.is_nameless) text.insert(1, std::string(base_name(row.image)) + "+");
    return text;
}

std::vector<uint32_t> FrameNames::ranks() const {
    std::vector<uint32_t> order(rows_.size()), ranks(rows_.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, [this](uint32_t a, uint32_t b) {
        return std::tie(rows_[a].name, rows_[a].image) < std::tie(rows_[b].name, rows_[b].image);
    });
    for (uint32_t rank = 0; rank < order.size(); ++rank)
        ranks[order[rank]] = rank;
    return ranks;
}

uint32_t FrameNames::of(const StackNode& node) const {
    if (node.is_code()) return of_location_[node.location];
    return node.kind == StackNodeKind::cut ? cuts_ + node.location : of_application_[node.location];
}

NamedStacks::NamedStacks(const Profile& profile, const FrameNames& names) : width_(profile.columns.size()) {
    const StackTree& tree = profile.stacks;
    if (tree.is_empty())
        throw_usage("there are no call stacks: profile with operf --callgraph, or perf record -g");
    std::vector<uint32_t> of_node{tree_.add(tree.nodes[0])};
    NodeIndex index(tree_);
    for (size_t node = 1; node < tree.nodes.size(); ++node) {
        const StackNode& at = tree.nodes[node];
        of_node.push_back(index.of({of_node[at.parent], names.of(at), StackNodeKind::code}));
    }
    counts_.resize(tree_.nodes.size() * width_);
    for (const StackCount& count : tree.counts) {
        uint64_t& sum = counts_[of_node[count.node] * width_ + count.column];
        sum = add_saturating(sum, count.count);
    }
    const std::vector<uint32_t> ranks = names.ranks();
    children_.emplace(tree_).sort([&](uint32_t a, uint32_t b) {
        return ranks[tree_.nodes[a].location] < ranks[tree_.nodes[b].location];
    });
}

}  // namespace op::pp
