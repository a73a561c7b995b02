// SPDX-License-Identifier: GPL-2.0-or-later
// The images that the fleet's hosts have: the table `images`, read once.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/server.h"

namespace op::fleet {

/// An image: one build of a binary.
struct FleetImage {
    std::string build_id = {};            ///< lower-case hex; empty = unknown
    std::vector<std::string> paths = {};  ///< at least one, sorted
    std::string kind = {};                ///< file, kernel, anon
    std::string release = {};             ///< empty = unknown
    std::string package = {}, package_version = {};

    /// The path for people.
    const std::string& path() const { return paths.front(); }
};

/// All images by number.
class FleetImages {
public:
    FleetImages() = default;
    explicit FleetImages(std::map<uint64_t, FleetImage> images) : images_(std::move(images)) {}
    /// Reads them. Throws as Server::query().
    static FleetImages read(Server& server);

    /// Adds an image, or replaces it.
    void add(uint64_t number, FleetImage image) { images_[number] = std::move(image); }

    const std::map<uint64_t, FleetImage>& all() const { return images_; }
    /// Null if there is no such image.
    const FleetImage* find(uint64_t number) const;
    /// The path of an image; of one that is not there "[image NUMBER]", in hexadecimal.
    std::string path(uint64_t number) const;

    /// The numbers of all images with a path that the word matches (see Selection), sorted.
    std::vector<uint64_t> matching(std::string_view word) const;
    /// The numbers of all images of a release, sorted.
    std::vector<uint64_t> of_release(std::string_view release) const;

private:
    std::map<uint64_t, FleetImage> images_;
};

/// True if the word is the text or has wildcards of the shell and matches it.
bool matches_word(std::string_view word, std::string_view text);

}  // namespace op::fleet
