// SPDX-License-Identifier: GPL-2.0-or-later
// Profiles by application and process.
#include "libpp/export/profile_part.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace op::pp {

namespace {

/// In the order of parts.
using PartKey = std::tuple<ImageName, std::optional<uint32_t>, std::optional<uint32_t>>;

class PartFinder {
public:
    explicit PartFinder(const Profile& profile) : profile_(profile) {}

    /// Adds the parts that a row of counts belongs to.
    void add(uint32_t app, const uint64_t* counts) {
        for (uint32_t i = 0; i < profile_.columns.size(); ++i) {
            const ProfileClass& column = profile_.columns[i];
            if (counts[i] != 0) parts_.try_emplace({profile_.images[app].name, column.tgid, column.tid}, app);
        }
    }

    std::vector<ProfilePart> parts() const {
        std::vector<ProfilePart> parts;
        for (const auto& [key, app] : parts_) {
            const auto& [name, tgid, tid] = key;
            ProfilePart& part = parts.emplace_back(ProfilePart{app, tgid, tid, {}});
            for (uint32_t i = 0; i < profile_.columns.size(); ++i)
                if (profile_.columns[i].tgid == tgid && profile_.columns[i].tid == tid)
                    part.columns.push_back(i);
        }
        return parts;
    }

private:
    const Profile& profile_;
    std::map<PartKey, uint32_t> parts_;
};

/// Appends the columns of a row of counts; false, and nothing appended, if all are 0.
bool append_columns(std::vector<uint64_t>& to, const uint64_t* counts, const std::vector<uint32_t>& columns) {
    if (std::ranges::all_of(columns, [&](uint32_t column) { return counts[column] == 0; })) return false;
    for (const uint32_t column : columns)
        to.push_back(counts[column]);
    return true;
}

/// The stacks of the part's application, with its columns.
StackTree stacks_of(const Profile& profile, const ProfilePart& part) {
    const StackTree& whole = profile.stacks;
    StackTree tree;
    if (whole.is_empty()) return tree;
    const std::vector<uint32_t> apps = stack_applications(profile);
    std::vector<bool> is_needed(whole.nodes.size());
    for (const StackCount& count : whole.counts) {
        const auto column = std::ranges::find(part.columns, count.column);
        if (apps[count.node] != part.app || column == part.columns.end()) continue;
        is_needed[count.node] = true;
        tree.counts.push_back(
            {count.node, static_cast<uint32_t>(column - part.columns.begin()), count.count});
    }
    for (size_t node = whole.nodes.size(); node-- > 1;)
        if (is_needed[node]) is_needed[whole.nodes[node].parent] = true;
    is_needed[0] = true;
    std::vector<uint32_t> numbers(whole.nodes.size());
    for (size_t i = 0; i < whole.nodes.size(); ++i) {
        const StackNode& node = whole.nodes[i];
        if (is_needed[i]) numbers[i] = tree.add({numbers[node.parent], node.location, node.kind});
    }
    for (StackCount& count : tree.counts)
        count.node = numbers[count.node];
    return tree;
}

}  // namespace

std::vector<ProfilePart> profile_parts(const Profile& profile) {
    PartFinder finder(profile);
    const size_t width = profile.columns.size();
    for (size_t i = 0; i < profile.samples.size(); ++i)
        finder.add(profile.samples[i].app, &profile.counts[i * width]);
    for (size_t i = 0; i < profile.arcs.size(); ++i)
        finder.add(profile.arcs[i].caller_app, &profile.arc_counts[i * width]);
    return finder.parts();
}

Profile profile_of(const Profile& profile, const ProfilePart& part) {
    const size_t width = profile.columns.size();
    Profile result;
    result.axis = profile.axis;
    for (const uint32_t column : part.columns)
        result.columns.push_back(profile.columns[column]);
    result.images = profile.images;
    result.symbols = profile.symbols;
    result.locations = profile.locations;
    result.inlined = profile.inlined;
    result.frames = profile.frames;
    for (size_t i = 0; i < profile.samples.size(); ++i)
        if (profile.samples[i].app == part.app &&
            append_columns(result.counts, &profile.counts[i * width], part.columns))
            result.samples.push_back(profile.samples[i]);
    for (size_t i = 0; i < profile.arcs.size(); ++i)
        if (profile.arcs[i].caller_app == part.app &&
            append_columns(result.arc_counts, &profile.arc_counts[i * width], part.columns))
            result.arcs.push_back(profile.arcs[i]);
    result.stacks = stacks_of(profile, part);
    return result;
}

}  // namespace op::pp
