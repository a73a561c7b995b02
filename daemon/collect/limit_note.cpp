// SPDX-License-Identifier: GPL-2.0-or-later
// What used up the room for images and sample files.
#include "daemon/collect/limit_note.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include "libop/base/text.h"
#include "libop/session/sample_path.h"

namespace op::collect {

namespace {

constexpr size_t least_files = 1000;

/// Numbers of files by what they are of.
using Groups = std::map<std::string, size_t, std::less<>>;

std::string directory_of(const ImageName& image) {
    return image.name.substr(0, image.name.rfind('/'));
}

/// The group with more than half of all files, if there is one.
std::optional<Groups::value_type> majority(const Groups& groups, size_t all) {
    const auto most = std::ranges::max_element(groups, {}, &Groups::value_type::second);
    if (most == groups.end() || 2 * most->second <= all) return std::nullopt;
    return *most;
}

}  // namespace

std::string what_fills(const std::vector<std::string>& paths) {
    Groups programs, program_directories, image_directories;
    size_t all = 0;
    for (const std::string& path : paths) {
        const auto name = parse_sample_path(path);
        if (!name) continue;
        ++all;
        if (name->app.kind != ImageName::Kind::file) continue;
        ++programs[name->app.name];
        ++program_directories[directory_of(name->app)];
        if (name->image.kind == ImageName::Kind::file) ++image_directories[directory_of(name->image)];
    }
    if (all < least_files) return "";
    const auto text = [&](const Groups::value_type& group, std::string_view of) {
        return "limits on images: " + std::to_string(group.second) + " of " + std::to_string(all) +
               " sample files are of " + std::string(of) + printable(group.first);
    };
    if (const auto group = majority(programs, all)) return text(*group, "");
    if (const auto group = majority(program_directories, all)) return text(*group, "programs in ");
    if (const auto group = majority(image_directories, all)) return text(*group, "images in ");
    return "";
}

}  // namespace op::collect
