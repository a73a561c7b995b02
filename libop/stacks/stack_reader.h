// SPDX-License-Identifier: GPL-2.0-or-later
// The call stacks of a session, being read. Nothing is written or locked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libop/base/diagnostics.h"
#include "libop/base/fd.h"
#include "libop/session/sample_path.h"
#include "libop/stacks/stack_frame.h"

namespace op {

/// A node of the tree of a class, and the samples whose stack ends there.
struct StoredNode {
    uint32_t parent = 0;  ///< less than the node's own number; 0 = the root
    uint32_t frame = 0;   ///< an index of StackSetReader::frames(), never 0 but for the root
    uint64_t count = 0;

    bool operator==(const StoredNode&) const = default;
};

/// The tree of a class. It is sound whatever the file holds: parents come before their children; nodes below
/// the root, and only they, are applications; cuts are directly below an application; no node is more than
/// deepest_stack below the root. Two nodes of one parent may have the same frame in damaged files.
struct StoredTree {
    std::vector<StoredNode> nodes;  ///< the first one is the root
    uint64_t damaged = 0;           ///< samples on nodes that are left out
};

/// The set of stacks of a session, which may be being written meanwhile.
class StackSetReader {
public:
    /// Finds the stacks below a session's directory; none if it has no directory of stacks. Throws a system
    /// error or, if `frames` is no such file of this byte order and version, an input error; both name a path
    /// below `label`. `session_dir` must outlive the object.
    static std::optional<StackSetReader> open(const Fd& session_dir, const std::string& label,
                                              Diagnostics& notes);

    /// The classes that have a file, sorted.
    const std::vector<SampleClass>& classes() const noexcept { return classes_; }
    /// Reads the tree of one of them. Damage is a warning. May add to images() and frames(), which keep what
    /// they have. Throws a system error, or an input error as open().
    StoredTree read(const SampleClass& sample_class, Diagnostics& notes);

    /// By number; number 0 is not used. An empty name: an image that is not known.
    const std::vector<ImageName>& images() const noexcept { return images_; }
    /// By number; number 0 is not used. StackFrame::image is an index of images().
    const std::vector<StackFrame>& frames() const noexcept { return frames_; }

private:
    StackSetReader(const Fd& session_dir, const std::string& label);

    void read_frames(Diagnostics& notes);
    std::optional<std::string> read_file(const std::string& name, size_t limit) const;

    const Fd* session_dir_;
    std::string label_;
    std::vector<SampleClass> classes_;
    std::vector<ImageName> images_;
    std::vector<StackFrame> frames_;
};

}  // namespace op
