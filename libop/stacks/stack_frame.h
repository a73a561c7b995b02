// SPDX-License-Identifier: GPL-2.0-or-later
// A frame of a stored call stack, and the entries of the store's files. Layout: doc/FORMATS.md, "Call
// stacks".
#pragma once

#include <cstdint>

#include "libop/stacks/stack_end.h"

namespace op {

/// One step of a stored stack: code, or one of the two marks at its outer end.
struct StackFrame {
    static constexpr uint32_t most_images = (uint32_t{1} << 20) - 1;
    /// Code has lower offsets.
    static constexpr uint64_t application_offset = (uint64_t{1} << 43) - 1;

    uint32_t image = 0;     ///< its number in the set, from 1; 0 = not code: see cut_for
    uint64_t offset = 0;    ///< within the image, bytes
    bool is_exact = false;  ///< the sampled address; a caller's lies behind the code that ran

    /// The outermost frame: the application.
    static StackFrame application(uint32_t image) noexcept { return {image, application_offset, false}; }
    /// The frame below the application of a stack that is not complete.
    static StackFrame cut_for(StackEnd end) noexcept { return {0, static_cast<uint64_t>(end), false}; }

    bool is_application() const noexcept { return image != 0 && offset == application_offset; }
    bool is_cut() const noexcept { return image == 0; }
    bool is_code() const noexcept { return image != 0 && offset < application_offset; }
    /// The reason of a cut; StackEnd::count if it is one of a newer version.
    StackEnd end() const noexcept {
        return offset < static_cast<uint64_t>(StackEnd::count) ? static_cast<StackEnd>(offset)
                                                               : StackEnd::count;
    }
    bool operator==(const StackFrame&) const = default;
};

/// The frame's entry in `frames`; 0 if it has none: an image or an offset beyond what it can hold, or a cut
/// at the root.
constexpr uint64_t frame_key(const StackFrame& frame) noexcept {
    if (frame.image > StackFrame::most_images || frame.offset > StackFrame::application_offset) return 0;
    return uint64_t{frame.image} << 44 | uint64_t{frame.is_exact} << 43 | frame.offset;
}

constexpr StackFrame frame_of_key(uint64_t key) noexcept {
    return {static_cast<uint32_t>(key >> 44), key & StackFrame::application_offset, (key >> 43 & 1) != 0};
}

/// A node of a class: the numbers of its parent, 0 = the root, and of its frame, and the samples whose stack
/// ends there. A node of frame 0 is no frame: its samples are further ones of its parent.
struct StackNodeEntry {
    uint32_t parent, frame, count;
};

/// Bits of an entry for the samples; above them 22 for the frame and 22 for the parent.
inline constexpr unsigned stack_count_bits = 20;
inline constexpr uint32_t most_node_samples = (uint32_t{1} << stack_count_bits) - 1;
/// Numbers of frames and nodes are not greater.
inline constexpr uint32_t most_stack_entries = (uint32_t{1} << 22) - 1;

/// What a node is found by: its entry without the samples.
constexpr uint64_t stack_node_key(uint32_t parent, uint32_t frame) noexcept {
    return uint64_t{parent} << 22 | frame;
}

constexpr uint64_t stack_node_entry(const StackNodeEntry& node) noexcept {
    return stack_node_key(node.parent, node.frame) << stack_count_bits | node.count;
}

constexpr StackNodeEntry parse_stack_node(uint64_t entry) noexcept {
    return {static_cast<uint32_t>(entry >> 42),
            static_cast<uint32_t>(entry >> stack_count_bits) & most_stack_entries,
            static_cast<uint32_t>(entry) & most_node_samples};
}

/// The nodes between the root and a node, the node included: readers drop deeper ones.
inline constexpr uint32_t deepest_stack = 4096;

/// The files of a set besides those of its classes.
inline constexpr const char* stack_frames_name = "frames";
inline constexpr const char* stack_images_name = "images";

}  // namespace op
