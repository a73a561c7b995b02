// SPDX-License-Identifier: GPL-2.0-or-later
// A frame of a stored call stack, and the keys of the store's files. Layout: doc/FORMATS.md, "Call stacks".
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

/// The frame's key in `frames`; 0 if it has none: an image or an offset beyond what keys can hold, or a cut
/// at the root.
constexpr uint64_t frame_key(const StackFrame& frame) noexcept {
    if (frame.image > StackFrame::most_images || frame.offset > StackFrame::application_offset) return 0;
    return uint64_t{frame.image} << 44 | uint64_t{frame.is_exact} << 43 | frame.offset;
}

constexpr StackFrame frame_of_key(uint64_t key) noexcept {
    return {static_cast<uint32_t>(key >> 44), key & StackFrame::application_offset, (key >> 43 & 1) != 0};
}

/// What a node's key consists of: the slots of its parent, 0 = the root, and of its frame.
struct StackNodeKey {
    uint32_t parent, frame;
};

/// Nodes and frames are often numbered in step. The sample file's hash is by the exclusive or of the key's
/// halves, so that without this nearly all keys of a stack would be in one bucket.
constexpr uint32_t spread_parent(uint32_t parent) noexcept {
    return parent * 0x9E3779B1;
}

/// A node's key in the file of its class.
constexpr uint64_t stack_node_key(uint32_t parent, uint32_t frame) noexcept {
    return uint64_t{parent} << 32 | (frame ^ spread_parent(parent));
}

constexpr StackNodeKey parse_stack_node_key(uint64_t key) noexcept {
    const auto parent = static_cast<uint32_t>(key >> 32);
    return {parent, static_cast<uint32_t>(key) ^ spread_parent(parent)};
}

/// The nodes between the root and a node, the node included: readers drop deeper ones.
inline constexpr uint32_t deepest_stack = 2048;

/// The files of a set besides those of its classes.
inline constexpr const char* stack_frames_name = "frames";
inline constexpr const char* stack_images_name = "images";

}  // namespace op
