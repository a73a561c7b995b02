// SPDX-License-Identifier: GPL-2.0-or-later
// Packs trees for the page.
#include "libpp/page/pack_tree.h"

#include <algorithm>

#include "libop/session/ledger.h"

namespace op::pp {

namespace {

void add_number(std::string& bytes, uint64_t number) {
    for (; number >= 0x80; number >>= 7)
        bytes += static_cast<char>(number | 0x80);
    bytes += static_cast<char>(number);
}

class TreePacker {
public:
    TreePacker(const PageTree& tree, std::span<const uint64_t> totals, uint64_t least, UsedFrames& frames)
        : tree_(tree), totals_(totals), least_(least), frames_(frames), counts_(tree.columns) {}

    PackedTree pack() {
        find_children();
        std::vector<Place> path;  // nodes yet to be added, the next one last
        path.push_back({0, 0});
        while (!path.empty()) {
            const Place place = path.back();
            path.pop_back();
            if (place.is_smaller) {
                add_smaller(place.node, place.depth);
                continue;
            }
            add_node(place.node, place.depth);
            path.push_back({place.node, place.depth + 1, true});
            for (size_t i = first_[place.node + 1]; i-- > first_[place.node];)
                if (weight(children_[i]) >= least_) path.push_back({children_[i], place.depth + 1});
        }
        std::string bytes;
        add_number(bytes, nodes_);
        bytes += steps_ + numbers_;
        for (const std::string& counts : counts_)
            bytes += counts;
        return {bytes + sizes_, folded_};
    }

private:
    struct Place {
        uint32_t node, depth;
        bool is_smaller = false;  ///< the smaller children of the node, not the node
    };

    uint64_t weight(uint32_t node) const { return node_weight(totals_, tree_.columns, node); }

    /// The children of each node, heaviest first, and the number of nodes at and below each.
    void find_children() {
        const size_t nodes = tree_.parents.size();
        first_.assign(nodes + 1, 0);
        below_.assign(nodes, 1);
        for (size_t node = nodes; node-- > 1;) {
            ++first_[tree_.parents[node] + 1];
            below_[tree_.parents[node]] += below_[node];
        }
        for (size_t node = 0; node < nodes; ++node)
            first_[node + 1] += first_[node];
        children_.resize(nodes - 1);
        std::vector<size_t> next(first_.begin(), first_.end() - 1);
        for (uint32_t node = 1; node < nodes; ++node)
            children_[next[tree_.parents[node]]++] = node;
        for (size_t node = 0; node < nodes; ++node)
            std::stable_sort(children_.begin() + static_cast<ptrdiff_t>(first_[node]),
                             children_.begin() + static_cast<ptrdiff_t>(first_[node + 1]),
                             [this](uint32_t a, uint32_t b) { return weight(a) > weight(b); });
    }

    void add_place(uint32_t depth, uint32_t number) {
        add_number(steps_, nodes_ == 0 ? 0 : last_depth_ + 1 - depth);
        add_number(numbers_, number);
        last_depth_ = depth;
        ++nodes_;
    }

    void add_node(uint32_t node, uint32_t depth) {
        add_place(depth, node == 0 ? 0 : frames_.number(tree_.frames[node]));
        for (size_t column = 0; column < tree_.columns; ++column)
            add_number(counts_[column], tree_.counts[node * tree_.columns + column]);
    }

    /// The children of a node that are too small, as one, which is its last child.
    void add_smaller(uint32_t node, uint32_t depth) {
        uint64_t nodes = 0;
        std::vector<uint64_t> sums(tree_.columns);
        for (size_t i = first_[node]; i < first_[node + 1]; ++i) {
            if (weight(children_[i]) >= least_) continue;
            nodes += below_[children_[i]];
            for (size_t column = 0; column < tree_.columns; ++column)
                sums[column] = add_saturating(sums[column], totals_[children_[i] * tree_.columns + column]);
        }
        if (nodes == 0) return;
        add_place(depth, 0);
        add_number(sizes_, nodes);
        for (size_t column = 0; column < tree_.columns; ++column) {
            add_number(counts_[column], sums[column]);
            folded_ = add_saturating(folded_, sums[column]);
        }
    }

    const PageTree& tree_;
    std::span<const uint64_t> totals_;
    uint64_t least_;
    UsedFrames& frames_;
    std::vector<size_t> first_;
    std::vector<uint32_t> children_;
    std::vector<uint64_t> below_;
    uint64_t nodes_ = 0, folded_ = 0;
    uint32_t last_depth_ = 0;
    std::string steps_, numbers_, sizes_;
    std::vector<std::string> counts_;
};

}  // namespace

uint64_t node_weight(std::span<const uint64_t> totals, size_t columns, uint32_t node) {
    uint64_t weight = 0;
    for (size_t column = 0; column < columns; ++column)
        weight = add_saturating(weight, totals[node * columns + column]);
    return weight;
}

PackedTree pack_tree(const PageTree& tree, std::span<const uint64_t> totals, uint64_t least,
                     UsedFrames& frames) {
    if (tree.is_empty()) return {};
    return TreePacker(tree, totals, least, frames).pack();
}

}  // namespace op::pp
