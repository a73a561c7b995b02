// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the child of a node of a tree of stacks. Open addressing over the tree's own nodes: four bytes a
// slot.
#pragma once

#include <cstdint>
#include <vector>

#include "libpp/profile/stack_tree.h"

namespace op::pp {

/// The nodes of a tree by parent, kind and location.
class NodeIndex {
public:
    /// The tree must outlive the index, which alone adds nodes to it from now on.
    explicit NodeIndex(StackTree& tree) : tree_(tree) { grow(); }

    /// The node that is equal to this one, added if it is new.
    uint32_t of(const StackNode& node) {
        size_t slot = find(node);
        if (slots_[slot] != 0) return slots_[slot];
        if (tree_.nodes.size() * 2 > slots_.size()) {
            grow();
            slot = find(node);
        }
        return slots_[slot] = tree_.add(node);
    }

private:
    /// The slot of a node, or the free one where it belongs.
    size_t find(const StackNode& node) const {
        uint64_t hash = (uint64_t{node.parent} << 32 | node.location) + static_cast<uint64_t>(node.kind);
        hash *= 0x9e3779b97f4a7c15;
        for (size_t slot = hash >> shift_;; slot = (slot + 1) & (slots_.size() - 1)) {
            const uint32_t at = slots_[slot];
            if (at == 0) return slot;
            const StackNode& other = tree_.nodes[at];
            if (other.parent == node.parent && other.location == node.location && other.kind == node.kind)
                return slot;
        }
    }

    void grow() {
        unsigned bits = 10;
        while (size_t{1} << bits < tree_.nodes.size() * 3)
            ++bits;
        shift_ = 64 - bits;
        slots_.assign(size_t{1} << bits, 0);
        for (uint32_t node = 1; node < tree_.nodes.size(); ++node)
            slots_[find(tree_.nodes[node])] = node;
    }

    StackTree& tree_;
    unsigned shift_ = 0;
    std::vector<uint32_t> slots_;  ///< nodes; 0 = free
};

}  // namespace op::pp
