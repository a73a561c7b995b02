// SPDX-License-Identifier: GPL-2.0-or-later
// Images by root.
#include "libpp/profile/image_roots.h"

#include <map>

#include "libop/base/text.h"

namespace op::pp {

std::vector<std::string> root_remarks(std::span<const ImageFiles> images, const SessionInfo& info) {
    std::map<std::string, std::vector<std::string>> roots;
    for (const ImageFiles& image : images) {
        const auto recorded = info.images.find(image.image.name);
        if (image.image.kind != ImageName::Kind::file || recorded == info.images.end()) continue;
        if (!recorded->second.root.empty())
            roots[recorded->second.root].push_back(printable(image.image.display()));
    }
    std::vector<std::string> remarks;
    for (const auto& [root, names] : roots)
        remarks.push_back("files of another root, " + printable(root) + ": " + short_list(names));
    return remarks;
}

}  // namespace op::pp
