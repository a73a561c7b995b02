// SPDX-License-Identifier: GPL-2.0-or-later
// The trees that the page draws.
#include "libpp/page/page_tree.h"

#include <algorithm>
#include <numeric>

#include "libop/session/ledger.h"
#include "libpp/profile/node_index.h"

namespace op::pp {

namespace {

void add_to(uint64_t& sum, uint64_t count) {
    sum = add_saturating(sum, count);
}

/// Makes a tree node by node; nodes of one parent and frame are one.
class TreeBuilder {
public:
    explicit TreeBuilder(size_t columns) : columns_(columns), counts_(columns) {
        tree_.add({0, 0, StackNodeKind::root});
    }
    uint32_t child(uint32_t parent, uint32_t frame) {
        return index_.of({parent, frame, StackNodeKind::code});
    }
    /// Below the root, or below the part that a profile's column is of.
    uint32_t top(uint32_t part) { return part == PageFrames::no_part ? 0 : child(0, part); }
    void count(uint32_t node, size_t column, uint64_t count) {
        if (counts_.size() < tree_.nodes.size() * columns_) counts_.resize(tree_.nodes.size() * columns_);
        add_to(counts_[node * columns_ + column], count);
    }
    PageTree finish() && {
        PageTree made{.columns = columns_, .parents = {}, .frames = {}, .counts = std::move(counts_)};
        made.counts.resize(tree_.nodes.size() * columns_);
        made.parents.reserve(tree_.nodes.size());
        made.frames.reserve(tree_.nodes.size());
        for (const StackNode& node : tree_.nodes) {
            made.parents.push_back(node.parent);
            made.frames.push_back(node.location);
        }
        return made;
    }

private:
    size_t columns_;
    StackTree tree_;
    NodeIndex index_{tree_};
    std::vector<uint64_t> counts_;
};

/// Adds the stacks of one side, those of one part at a time.
class StackAdder {
public:
    StackAdder(const PageFrames& frames, size_t side, TreeBuilder& builder)
        : frames_(frames),
          side_(side),
          stacks_(frames.profiles().sides[side]->stacks),
          builder_(builder),
          made_(stacks_.nodes.size(), none) {}

    void add() {
        std::vector<StackCount> counts = stacks_.counts;
        const auto part_of = [&](const StackCount& count) { return frames_.part(side_, count.column); };
        std::ranges::stable_sort(counts, {}, part_of);
        uint32_t part = PageFrames::no_part;
        for (const StackCount& count : counts) {
            if (part_of(count) != part) std::ranges::fill(made_, none);
            part = part_of(count);
            builder_.count(node(count.node, part), frames_.column(side_, count.column), count.count);
        }
    }

private:
    static constexpr uint32_t none = UINT32_MAX;

    /// The node of the page's tree that is a node of the stacks.
    uint32_t node(uint32_t leaf, uint32_t part) {
        path_.clear();
        for (uint32_t at = leaf; at != 0 && made_[at] == none; at = stacks_.nodes[at].parent)
            path_.push_back(at);
        const uint32_t known = path_.empty() ? leaf : stacks_.nodes[path_.back()].parent;
        uint32_t to = known == 0 ? builder_.top(part) : made_[known];
        for (size_t i = path_.size(); i-- > 0;)
            made_[path_[i]] = to = builder_.child(to, frames_.of(side_, stacks_.nodes[path_[i]]));
        return to;
    }

    const PageFrames& frames_;
    size_t side_;
    const StackTree& stacks_;
    TreeBuilder& builder_;
    std::vector<uint32_t> made_;  ///< the page's node for each of the stacks', in the part at hand
    std::vector<uint32_t> path_;
};

}  // namespace

PageTree tree_of_calls(const PageFrames& frames) {
    const auto& sides = frames.profiles().sides;
    if (std::ranges::any_of(sides, [](const Profile* side) { return side->stacks.is_empty(); })) return {};
    TreeBuilder builder(frames.columns());
    for (size_t side = 0; side < sides.size(); ++side)
        StackAdder(frames, side, builder).add();
    return std::move(builder).finish();
}

PageTree tree_of_places(PageFrames& frames) {
    TreeBuilder builder(frames.columns());
    for (size_t side = 0; side < frames.profiles().sides.size(); ++side) {
        const Profile& profile = *frames.profiles().sides[side];
        std::vector<uint32_t> lines(profile.locations.size(), PageFrames::no_part);
        for (size_t sample = 0; sample < profile.samples.size(); ++sample) {
            const Location& leaf = profile.leaf(sample);
            ImageSymbols* const symbols = profile.images[leaf.image].symbols;
            const uint32_t location = profile.frames[profile.samples[sample].first_frame];
            if (lines[location] != PageFrames::no_part || !symbols || !symbols->has_lines()) continue;
            if (const auto line = symbols->line(leaf.offset)) lines[location] = frames.of_line(*line);
        }
        for (size_t sample = 0; sample < profile.samples.size(); ++sample) {
            const StackSamples& samples = profile.samples[sample];
            const uint32_t location = profile.frames[samples.first_frame];
            for (size_t column = 0; column < profile.columns.size(); ++column) {
                const uint64_t count = profile.count(sample, column);
                if (count == 0) continue;
                uint32_t node = builder.top(frames.part(side, column));
                node = builder.child(node, frames.of_image(side, samples.app));
                node = builder.child(node, frames.of_image(side, profile.leaf(sample).image));
                node = builder.child(node, frames.of(side, {0, location, StackNodeKind::code}));
                if (lines[location] != PageFrames::no_part) node = builder.child(node, lines[location]);
                builder.count(node, frames.column(side, column), count);
            }
        }
    }
    return std::move(builder).finish();
}

std::vector<uint64_t> tree_totals(const PageTree& tree) {
    std::vector<uint64_t> totals = tree.counts;
    for (size_t node = tree.parents.size(); node-- > 1;)
        for (size_t column = 0; column < tree.columns; ++column)
            add_to(totals[tree.parents[node] * tree.columns + column], totals[node * tree.columns + column]);
    return totals;
}

PageSums sum_by_frame(const PageFrames& frames) {
    const size_t width = frames.columns();
    PageSums sums{std::vector<uint64_t>(frames.size() * width), std::vector<uint64_t>(frames.size() * width)};
    const auto& sides = frames.profiles().sides;
    const bool has_stacks =
        std::ranges::none_of(sides, [](const Profile* side) { return side->stacks.is_empty(); });
    for (size_t side = 0; side < sides.size(); ++side) {
        const Profile& profile = *sides[side];
        const size_t columns = profile.columns.size();
        for (size_t sample = 0; sample < profile.samples.size(); ++sample) {
            const uint32_t location = profile.frames[profile.samples[sample].first_frame];
            const size_t frame = frames.of(side, {0, location, StackNodeKind::code});
            for (size_t column = 0; column < columns; ++column)
                add_to(sums.self[frame * width + frames.column(side, column)], profile.count(sample, column));
        }
        if (!has_stacks) continue;
        const auto number_of = [&](uint32_t node) -> size_t {
            return frames.of(side, profile.stacks.nodes[node]);
        };
        sum_once(profile.stacks, columns, number_of, [&](size_t frame, const uint64_t* counts) {
            for (size_t column = 0; column < columns; ++column)
                add_to(sums.total[frame * width + frames.column(side, column)], counts[column]);
        });
    }
    if (!has_stacks) sums.total = sums.self;
    return sums;
}

}  // namespace op::pp
