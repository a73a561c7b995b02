// SPDX-License-Identifier: GPL-2.0-or-later
// The call stacks of a profile as one tree: stacks that begin alike share nodes. Plain data, and walks over
// it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "libop/stacks/stack_end.h"

namespace op::pp {

/// The kind of a node, and the meaning of StackNode::location there.
enum class StackNodeKind : uint8_t {
    root,         ///< node 0
    application,  ///< outermost in its stacks; an index into Profile::images
    cut,          ///< the callers beyond are not known; the number of a StackEnd, or StackTree::no_stack
    code,         ///< a sampled address, or one below a signal frame; an index into Profile::locations
    call,         ///< a return address; likewise
};

/// A function's place in stacks. Its parent is its caller; kernel code is below the code that it interrupted.
struct StackNode {
    uint32_t parent;  ///< index into StackTree::nodes, less than its own; of the root 0
    uint32_t location;
    StackNodeKind kind;

    /// True if `location` is one of the profile's.
    bool is_code() const { return kind == StackNodeKind::code || kind == StackNodeKind::call; }
};

/// Samples whose stack ends at a node.
struct StackCount {
    uint32_t node;
    uint32_t column;
    uint64_t count;  ///< not 0
};

/// root -> application -> a cut, if the stack is not complete -> outermost function -> ... -> sampled
/// address. Where samples are summed over applications, stacks have none.
struct StackTree {
    /// The location of a cut: the samples were stored without a stack.
    static constexpr uint32_t no_stack = static_cast<uint32_t>(StackEnd::count);

    std::vector<StackNode> nodes;    ///< parents before children; empty = the profile has no stacks
    std::vector<StackCount> counts;  ///< by node, then column

    bool is_empty() const { return nodes.empty(); }
    /// Appends a node; its index.
    uint32_t add(const StackNode& node) {
        nodes.push_back(node);
        return static_cast<uint32_t>(nodes.size() - 1);
    }
};

/// The reason that a cut has for location: "dump_short", ..., "no_stack".
std::string_view cut_name(uint32_t end);

/// The samples at and below each node, saturating: one number per node and column.
std::vector<uint64_t> inclusive_counts(const StackTree& tree, size_t columns);

/// For each node the cut it is below or is, else StackEnd::root.
std::vector<uint8_t> stack_ends(const StackTree& tree);

/// The children of each node.
class StackChildren {
public:
    explicit StackChildren(const StackTree& tree);
    /// Orders the children of each node by less(node, node).
    template <class Less>
    void sort(Less less) {
        for (size_t node = 0; node + 1 < first_.size(); ++node)
            std::sort(nodes_.begin() + first_[node], nodes_.begin() + first_[node + 1], less);
    }
    /// In rising order unless sorted; valid as long as this object.
    std::span<const uint32_t> of(uint32_t node) const {
        return std::span(nodes_).subspan(first_[node], first_[node + 1] - first_[node]);
    }

private:
    std::vector<uint32_t> first_;  ///< one per node and one more
    std::vector<uint32_t> nodes_;
};

/// Calls enter(node) and, after all below it, leave(node) for every node but the root, callers first, and
/// children in their order. What is entered and not left are the node's callers. The tree is not empty.
template <class Enter, class Leave>
void walk_stacks(const StackChildren& children, Enter enter, Leave leave) {
    struct Place {
        uint32_t node;
        size_t next;
    };
    std::vector<Place> path{{0, 0}};
    while (!path.empty()) {
        Place& last = path.back();
        const auto below = children.of(last.node);
        if (last.next < below.size()) {
            const uint32_t node = below[last.next++];
            enter(node);
            path.push_back({node, 0});
            continue;
        }
        if (last.node != 0) leave(last.node);
        path.pop_back();
    }
}

template <class Enter, class Leave>
void walk_stacks(const StackTree& tree, Enter enter, Leave leave) {
    if (!tree.is_empty()) walk_stacks(StackChildren(tree), enter, leave);
}

/// Not counted, see sum_once().
inline constexpr size_t not_counted = SIZE_MAX;

/// Adds up samples by anything that a node may be of (its function, the call that leads to it), a small
/// number: number_of(node), or not_counted. Calls add(number, counts) with the samples at and below the node,
/// one per column. Of several nodes of one number in a stack the outermost counts: recursion counts once.
template <class NumberOf, class Add>
void sum_once(const StackTree& tree, size_t columns, NumberOf number_of, Add add) {
    const std::vector<uint64_t> inclusive = inclusive_counts(tree, columns);
    std::vector<size_t> path;       // numbers of the nodes that are entered
    std::vector<uint32_t> entered;  // by number: how many of these
    const auto enter = [&](uint32_t node) {
        const size_t number = number_of(node);
        path.push_back(number);
        if (number == not_counted) return;
        if (number >= entered.size()) entered.resize(number + 1);
        if (entered[number]++ == 0) add(number, &inclusive[node * columns]);
    };
    const auto leave = [&](uint32_t) {
        if (path.back() != not_counted) --entered[path.back()];
        path.pop_back();
    };
    walk_stacks(tree, enter, leave);
}

}  // namespace op::pp
