// SPDX-License-Identifier: GPL-2.0-or-later
// A tree as the bytes that page.js decodes, without its smaller nodes. All samples stay in it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "libpp/page/page_tree.h"

namespace op::pp {

/// The frames that packed trees use, numbered from 1 in the order of their first use.
class UsedFrames {
public:
    explicit UsedFrames(size_t frames) : numbers_(frames) {}
    uint32_t number(uint32_t frame) {
        if (numbers_[frame] != 0) return numbers_[frame];
        used_.push_back(frame);
        return numbers_[frame] = static_cast<uint32_t>(used_.size());
    }
    /// Numbers of PageFrames.
    const std::vector<uint32_t>& used() const { return used_; }

private:
    std::vector<uint32_t> numbers_;
    std::vector<uint32_t> used_;
};

struct PackedTree {
    std::string bytes;
    uint64_t folded = 0;  ///< samples in nodes "[N smaller]", over all columns
};

/// Packs a tree in depth-first order, of siblings the heaviest first. A node with fewer than `least` samples
/// over all columns is folded: with all such below one parent, and what is below them, it becomes a node
/// without a name that has their samples. `totals` are tree_totals().
///
/// The bytes are numbers of seven bits a byte, least first, the high bit set if more follow: the number of
/// nodes; for each node how many levels it is above a child of the node before it; for each node its used
/// frame, 0 for the root and folded nodes; for each column and node the samples of the node itself; for each
/// folded node the number of nodes in it.
PackedTree pack_tree(const PageTree& tree, std::span<const uint64_t> totals, uint64_t least,
                     UsedFrames& frames);

/// The sum over the columns of a node, saturating.
uint64_t node_weight(std::span<const uint64_t> totals, size_t columns, uint32_t node);

}  // namespace op::pp
