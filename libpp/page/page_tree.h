// SPDX-License-Identifier: GPL-2.0-or-later
// The trees that the page draws: whole stacks, and where samples are (application > image > symbol > line).
// Where columns differ in process, thread or CPU, these are the first level of both.
#pragma once

#include <cstdint>
#include <vector>

#include "libpp/page/page_frames.h"

namespace op::pp {

/// A tree with samples. Node 0 is the root; parents are before their children.
struct PageTree {
    size_t columns = 1;
    std::vector<uint32_t> parents;
    std::vector<uint32_t> frames;  ///< numbers of PageFrames; the root's means nothing
    std::vector<uint64_t> counts;  ///< samples of the node itself, one per node and column of the page

    bool is_empty() const { return parents.empty(); }
};

/// All stacks by names, each once; empty unless every side has stacks.
PageTree tree_of_calls(const PageFrames& frames);
/// The samples by application, image, symbol and source line, as far as there is one. Numbers the lines.
PageTree tree_of_places(PageFrames& frames);

/// The samples at and below each node, saturating: one per node and column.
std::vector<uint64_t> tree_totals(const PageTree& tree);

/// The samples of each function over a column of the page: in itself, and in itself and all that it calls,
/// where a sample counts once; without stacks both are the same. By number of PageFrames.
struct PageSums {
    std::vector<uint64_t> self, total;  ///< one per frame and column
};
PageSums sum_by_frame(const PageFrames& frames);

}  // namespace op::pp
