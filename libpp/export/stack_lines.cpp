// SPDX-License-Identifier: GPL-2.0-or-later
// Stacks by name.
#include "libpp/export/stack_lines.h"

#include <algorithm>
#include <map>
#include <utility>

#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libop/session/ledger.h"

namespace op::pp {

namespace {

std::string cut_text(uint32_t end) {
    const std::string_view reason =
        end == StackTree::no_stack ? "no_stack" : stack_end_name(static_cast<StackEnd>(end));
    return "[truncated: " + std::string(reason) + "]";
}

std::string short_name(const ImageName& image) {
    const std::string name = printable(image.display());
    return image.kind == ImageName::Kind::anon ? name : std::string(base_name(name));
}

}  // namespace

FrameNames::FrameNames(const Profile& profile, Demangle demangle) : profile_(profile) {
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
    }
    for (const ProfileSymbol& symbol : profile.symbols) {
        const ProfileImage& image = profile.images[symbol.image];
        of_symbol.push_back(is_whole_image(profile, symbol)
                                ? of_image[symbol.image]
                                : number(printable(image.symbols->name(*symbol.symbol, demangle)),
                                         printable(image.name.display())));
    }
    for (const Location& location : profile.locations)
        of_location_.push_back(location.symbol == Location::no_symbol ? of_image[location.image]
                                                                      : of_symbol[location.symbol]);
    cuts_ = static_cast<uint32_t>(rows_.size());
    for (uint32_t end = 0; end <= StackTree::no_stack; ++end)
        rows_.push_back({cut_text(end), ""});
}

uint32_t FrameNames::of(const StackNode& node) const {
    if (node.is_code()) return of_location_[node.location];
    return node.kind == StackNodeKind::cut ? cuts_ + node.location : of_application_[node.location];
}

std::vector<NamedStack> named_stacks(const Profile& profile, const FrameNames& names, uint32_t column) {
    const StackTree& tree = profile.stacks;
    if (tree.is_empty()) throw_usage("there are no call stacks: profile with operf --callgraph");
    std::vector<NamedStack> stacks;
    for (const StackCount& count : tree.counts) {
        if (count.column != column) continue;
        NamedStack& stack = stacks.emplace_back(NamedStack{{}, count.count});
        for (uint32_t node = count.node; node != 0; node = tree.nodes[node].parent)
            stack.names.push_back(names.of(tree.nodes[node]));
        std::ranges::reverse(stack.names);
    }
    std::ranges::sort(stacks);
    std::vector<NamedStack> joined;
    for (NamedStack& stack : stacks)
        if (!joined.empty() && joined.back().names == stack.names)
            joined.back().count = add_saturating(joined.back().count, stack.count);
        else
            joined.push_back(std::move(stack));
    return joined;
}

}  // namespace op::pp
