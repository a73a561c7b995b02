// SPDX-License-Identifier: GPL-2.0-or-later
// Reads the table `images`. Rows of version 0 are those of hosts; others add what is known of the build.
#include "fleet/fleet_images.h"

#include <fnmatch.h>

#include <algorithm>

#include "libop/base/text.h"

namespace op::fleet {
namespace {

/// The facts of the greatest version win; paths of hosts come before others.
class ImageJoiner {
public:
    void add(const Rows& rows, size_t row) {
        const uint64_t version = rows.number(row, 7);
        const uint64_t number = rows.number(row, 0);
        FleetImage& image = images_[number];
        paths_[number].emplace_back(version, rows.text(row, 2));
        if (image.build_id.empty()) image.build_id = rows.text(row, 1);
        if (image.kind.empty() || version == 0) image.kind = rows.text(row, 3);
        if (version == 0) return;
        uint64_t& newest = newest_[number];
        if (version < newest) return;
        newest = version;
        image.package = rows.text(row, 4);
        image.package_version = rows.text(row, 5);
        image.release = rows.text(row, 6);
    }

    std::map<uint64_t, FleetImage> images() && {
        for (auto& [number, paths] : paths_) {
            std::ranges::sort(paths);
            for (auto& [version, path] : paths)
                images_[number].paths.push_back(std::move(path));
        }
        return std::move(images_);
    }

private:
    std::map<uint64_t, FleetImage> images_;
    std::map<uint64_t, std::vector<std::pair<uint64_t, std::string>>> paths_;
    std::map<uint64_t, uint64_t> newest_;
};

}  // namespace

FleetImages FleetImages::read(Server& server) {
    const Rows rows = server.query(
        "SELECT image, build_id, path, kind, package, package_version, release, version FROM images FINAL");
    ImageJoiner joiner;
    for (size_t row = 0; row < rows.size(); ++row)
        joiner.add(rows, row);
    return FleetImages(std::move(joiner).images());
}

const FleetImage* FleetImages::find(uint64_t number) const {
    const auto at = images_.find(number);
    return at == images_.end() ? nullptr : &at->second;
}

std::string FleetImages::path(uint64_t number) const {
    const FleetImage* const image = find(number);
    return image ? image->path() : "[image " + hex(number, 16) + "]";
}

bool matches_word(std::string_view word, std::string_view text) {
    if (word == text) return true;
    if (word.find_first_of("*?[") == word.npos) return false;
    return ::fnmatch(std::string(word).c_str(), std::string(text).c_str(), 0) == 0;
}

std::vector<uint64_t> FleetImages::matching(std::string_view word) const {
    const bool is_path = word.find('/') != word.npos;
    std::vector<uint64_t> numbers;
    for (const auto& [number, image] : images_)
        if (std::ranges::any_of(image.paths, [&](const std::string& path) {
                return word == path || matches_word(word, is_path ? std::string_view(path) : base_name(path));
            }))
            numbers.push_back(number);
    return numbers;
}

std::vector<uint64_t> FleetImages::of_release(std::string_view release) const {
    std::vector<uint64_t> numbers;
    for (const auto& [number, image] : images_)
        if (!image.release.empty() && image.release == release) numbers.push_back(number);
    return numbers;
}

}  // namespace op::fleet
