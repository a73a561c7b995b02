// SPDX-License-Identifier: GPL-2.0-or-later
// Stacks by name, for formats that have one line or list of names for each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libpp/object/demangle.h"
#include "libpp/profile/profile.h"

namespace op::pp {

/// The names of the frames of a profile with stacks, each once.
class FrameNames {
public:
    FrameNames(const Profile& profile, Demangle demangle);

    /// The number of a node's name, from 0; nodes of one name in one image have one number.
    uint32_t of(const StackNode& node) const;
    /// The name: of an application its file's name without directories, of a function as requested, of code
    /// in no function "[IMAGE]", of a cut "[truncated: REASON]". Without control characters.
    const std::string& name(uint32_t number) const { return rows_[number].name; }
    /// The name where its image is not beside it: of a function without one "[IMAGE+0xADDRESS]".
    std::string full_name(uint32_t number) const;
    /// The image of the function or application, as recorded; empty for a cut.
    const std::string& image(uint32_t number) const { return rows_[number].image; }
    /// True if it is of code of the kernel or of a module, or of the kernel as an application.
    bool is_kernel(uint32_t number) const { return rows_[number].is_kernel; }
    bool is_cut(uint32_t number) const { return number >= cuts_; }  ///< it is of no code
    size_t size() const { return rows_.size(); }
    /// The place of each number when all are sorted by name, then image.
    std::vector<uint32_t> ranks() const;

private:
    struct Row {
        std::string name, image;
        bool is_nameless = false;  ///< the name is only the address of a function, "[0xADDRESS]"
        bool is_kernel = false;
    };
    std::vector<Row> rows_;
    std::vector<uint32_t> of_location_, of_application_;
    uint32_t cuts_ = 0;  ///< number of the first cut's name
};

/// The stacks of a profile by the names of their frames, each once: a tree of names.
class NamedStacks {
public:
    /// Throws a usage error if the profile has no stacks. `names` are the profile's and must outlive the
    /// object.
    NamedStacks(const Profile& profile, const FrameNames& names);

    /// Calls enter(name, count) and, after all below it, leave() for every node, by number of FrameNames. The
    /// stack is that of what is entered and not left, outermost first; `count` samples of the column end
    /// there. Nodes of one caller are in the order of their names.
    template <class Enter, class Leave>
    void walk(uint32_t column, Enter enter, Leave leave) const {
        walk_stacks(
            *children_,
            [&](uint32_t node) { enter(tree_.nodes[node].location, counts_[node * width_ + column]); },
            [&](uint32_t) { leave(); });
    }

private:
    size_t width_;                  ///< columns
    StackTree tree_;                ///< a node's location is the number of its name
    std::vector<uint64_t> counts_;  ///< one per node and column
    std::optional<StackChildren> children_;
};

}  // namespace op::pp
