// SPDX-License-Identifier: GPL-2.0-or-later
// Stacks by name, for formats that have one line or list of names for each.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libpp/object/demangle.h"
#include "libpp/profile/profile.h"

namespace op::pp {

/// The names of the frames of a profile with stacks, each once.
class FrameNames {
public:
    /// The profile must outlive the object.
    FrameNames(const Profile& profile, Demangle demangle);

    /// The number of a node's name, from 0; nodes of one name in one image have one number.
    uint32_t of(const StackNode& node) const;
    /// The name: of an application its file's name without directories, of a function as requested, of code
    /// in no function "[IMAGE]", of a cut "[truncated: REASON]". Without control characters.
    const std::string& name(uint32_t number) const { return rows_[number].name; }
    /// The image of the function or application, as recorded; empty for a cut.
    const std::string& image(uint32_t number) const { return rows_[number].image; }
    size_t size() const { return rows_.size(); }

private:
    struct Row {
        std::string name, image;
    };
    const Profile& profile_;
    std::vector<Row> rows_;
    std::vector<uint32_t> of_location_, of_application_;
    uint32_t cuts_ = 0;  ///< number of the first cut's name
};

/// Samples of a stack.
struct NamedStack {
    std::vector<uint32_t> names;  ///< numbers of FrameNames, outermost first
    uint64_t count = 0;

    auto operator<=>(const NamedStack&) const = default;
};

/// The stacks of one column, each once, sorted by their names' numbers. Throws a usage error if the profile
/// has no stacks.
std::vector<NamedStack> named_stacks(const Profile& profile, const FrameNames& names, uint32_t column);

}  // namespace op::pp
