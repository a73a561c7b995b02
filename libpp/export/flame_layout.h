// SPDX-License-Identifier: GPL-2.0-or-later
// The layout of a flame graph: which frames have a box, and where. Knows samples, no pixels.
#pragma once

#include <cstdint>
#include <vector>

#include "libpp/export/stack_lines.h"

namespace op::pp {

/// A box: a frame, or those frames of one caller that are too narrow for boxes of their own.
struct FlameBox {
    static constexpr uint32_t root = UINT32_MAX, smaller = UINT32_MAX - 1;

    uint32_t name;        ///< number of FrameNames, or one of these
    uint32_t depth;       ///< boxes between it and the ground; 0 of the root
    uint64_t start;       ///< samples between the left edge of the root and its own
    uint64_t samples;     ///< in the frame and in all that it calls: its width
    uint32_t frames = 0;  ///< of a box of smaller frames, how many
};

struct FlameLayout {
    /// The root, then callers before what they call. Those of one caller follow each other without a gap from
    /// its left edge: by name, then the box of smaller ones. What is left of its width are samples of its
    /// own, and smaller frames that together have no box either.
    std::vector<FlameBox> boxes;
    uint32_t depth = 0;           ///< of the deepest box
    uint64_t narrow_samples = 0;  ///< in frames that have no box of their own
};

/// The boxes of a column. A frame has one if it has at least the `boxes_in_row`th part of all samples (more
/// than 0), which bounds the boxes of each depth. Takes two walks over the stacks and eight bytes a node
/// besides the boxes; no recursion.
FlameLayout lay_out(const NamedStacks& stacks, uint32_t column, uint64_t boxes_in_row);

}  // namespace op::pp
