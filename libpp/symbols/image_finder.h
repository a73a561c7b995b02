// SPDX-License-Identifier: GPL-2.0-or-later
// Finds recorded images on the machine that makes the report.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libop/base/diagnostics.h"

namespace op::pp {

/// The places to search, as given on the command line.
struct ImageSearch {
    std::string archive;                     ///< archive:DIR; empty = none
    std::string root;                        ///< --root; empty = none
    std::vector<std::string> image_paths;    ///< --image-path, searched recursively by base name
    std::vector<std::string> sessions = {};  ///< paths of the sessions, for the binaries that they keep
    /// The paths of images whose names in the session are others (see RecordedImage::path).
    std::map<std::string, std::string> paths = {};
};

/// Finds image files. Lookups are cached; the recursive listing of image paths is made once, on the first
/// lookup that needs it.
class ImageFinder {
public:
    /// Throws a usage error if an image path (below the archive, if one is given) is not a directory.
    explicit ImageFinder(ImageSearch search, std::string kernel_release = {});

    /// The file for the name of an image, which is a path or belongs to one: ARCHIVE/path, then ROOT/path,
    /// then (without archive and root) the path itself, then the base name below the image paths. A kernel
    /// module's bare name is looked for below the image paths and /lib/modules/RELEASE as NAME.ko, also
    /// .ko.xz/.gz/.zst and with - for _. Several files of that base name are a note and no result.
    std::optional<std::string> find(const std::string& recorded, Diagnostics& notes) const;
    /// The first part of find(): the file at the path, below the archive or root if one is given. None for a
    /// module.
    std::optional<std::string> find_at_path(const std::string& recorded) const;
    /// The last part of find(): the file of that base name below the image paths.
    std::optional<std::string> find_below_image_paths(const std::string& recorded, Diagnostics& notes) const;
    /// The binary of that build-id that a session keeps; none if no session does.
    std::optional<std::string> find_kept(const std::string& build_id) const;
    /// The path of an image by its name in the session. Valid as long as both.
    const std::string& path(const std::string& name) const;

    const ImageSearch& search() const noexcept { return search_; }

private:
    ImageSearch search_;
    std::string kernel_release_;
    mutable std::map<std::string, std::vector<std::string>> by_base_name_;
    mutable bool listed_ = false, modules_listed_ = false;
};

}  // namespace op::pp
