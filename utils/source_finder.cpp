// SPDX-License-Identifier: GPL-2.0-or-later
// Looking for source files.
#include "utils/source_finder.h"

#include <sys/stat.h>

#include "libop/error.h"
#include "libop/fd.h"

namespace op::tool {

SourceFinder::SourceFinder(std::string archive, std::vector<std::string> search_dirs,
                           std::vector<std::string> base_dirs)
    : archive_(std::move(archive)), search_dirs_(std::move(search_dirs)), base_dirs_(std::move(base_dirs)) {}

std::string SourceFinder::without_base(const std::string& recorded) const {
    for (std::string base : base_dirs_) {
        while (base.ends_with('/'))
            base.pop_back();
        if (recorded.starts_with(base + "/")) return recorded.substr(base.size());
    }
    return recorded;
}

std::optional<Source> SourceFinder::read(const std::string& recorded) const {
    std::vector<std::string> candidates;
    const std::string stripped = without_base(recorded);
    for (const auto& dir : search_dirs_)
        candidates.push_back(dir + "/" + stripped);
    const std::string archived = archive_.empty() ? "" : archive_ + "/" + recorded;
    if (!archived.empty()) candidates.push_back(archived);
    candidates.push_back(recorded);
    for (const auto& path : candidates) {
        struct stat status {};
        if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
        try {
            return Source{read_file(path), path == archived ? 0 : status.st_mtim.tv_sec};
        } catch (const Error&) {
            continue;  // may not be read
        }
    }
    return std::nullopt;
}

}  // namespace op::tool
