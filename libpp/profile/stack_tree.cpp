// SPDX-License-Identifier: GPL-2.0-or-later
// Walks over the tree of stacks.
#include "libpp/profile/stack_tree.h"

#include "libop/session/ledger.h"

namespace op::pp {

std::string_view cut_name(uint32_t end) {
    return end == StackTree::no_stack ? "no_stack" : stack_end_name(static_cast<StackEnd>(end));
}

std::vector<uint64_t> inclusive_counts(const StackTree& tree, size_t columns) {
    std::vector<uint64_t> counts(tree.nodes.size() * columns);
    const auto add = [](uint64_t& sum, uint64_t count) { sum = add_saturating(sum, count); };
    for (const StackCount& own : tree.counts)
        add(counts[own.node * columns + own.column], own.count);
    for (size_t node = tree.nodes.size(); node-- > 1;)
        for (size_t column = 0; column < columns; ++column)
            add(counts[tree.nodes[node].parent * columns + column], counts[node * columns + column]);
    return counts;
}

std::vector<uint8_t> stack_ends(const StackTree& tree) {
    std::vector<uint8_t> ends(tree.nodes.size(), static_cast<uint8_t>(StackEnd::root));
    for (size_t node = 1; node < ends.size(); ++node) {
        const StackNode& at = tree.nodes[node];
        ends[node] = at.kind == StackNodeKind::cut ? static_cast<uint8_t>(at.location) : ends[at.parent];
    }
    return ends;
}

StackChildren::StackChildren(const StackTree& tree) : first_(tree.nodes.size() + 1) {
    const size_t nodes = tree.nodes.size();
    if (nodes == 0) return;
    for (size_t node = 1; node < nodes; ++node)
        ++first_[tree.nodes[node].parent + 1];
    for (size_t node = 1; node <= nodes; ++node)
        first_[node] += first_[node - 1];
    nodes_.resize(nodes - 1);
    // Filled from the end, so that children are in rising order and first_ need not be copied.
    for (size_t node = nodes; node-- > 1;)
        nodes_[--first_[tree.nodes[node].parent + 1]] = static_cast<uint32_t>(node);
    for (size_t node = 0; node < nodes; ++node)
        first_[node] = first_[node + 1];
    first_[nodes] = static_cast<uint32_t>(nodes - 1);
}

}  // namespace op::pp
