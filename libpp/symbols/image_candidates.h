// SPDX-License-Identifier: GPL-2.0-or-later
// The order in which the files that may be a profiled image are tried. Opens none of them.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>

#include "libop/session/session_info.h"
#include "libpp/symbols/image_finder.h"
#include "libpp/symbols/image_symbols.h"
#include "libpp/symbols/symbolizer.h"

namespace op::pp {

/// A file that may be an image.
struct ImageCandidate {
    std::string path;
    bool is_by_build_id = false;  ///< found by its build-id alone: it counts only if it has that build-id
};

/// How a candidate with build-id `build_id` ("" = none) differs from the recorded image.
FileChange candidate_change(const ImageCandidate& candidate, const std::string& build_id,
                            const RecordedImage& recorded);

/// The files that may be an image: the one at its path, the one of its name below the image paths, the copy
/// of its build that a session keeps, the one that a source has of it. Of an image whose path led elsewhere
/// the kept copy is the first.
class ImageCandidates {
public:
    using Find = std::function<std::optional<std::string>()>;

    /// `at_path` is ImageFinder::find(), or more; `below_image_paths` is
    /// ImageFinder::find_below_image_paths(). `by_build_id` may be null. All arguments must outlive the
    /// object.
    ImageCandidates(const ImageFinder& finder, BuildIdSource* by_build_id, const RecordedImage& recorded,
                    Find at_path, Find below_image_paths);

    /// The next file; it is looked for, and fetched, only now. None after the last.
    std::optional<ImageCandidate> next();

private:
    enum class Step { kept_first, at_path, below_image_paths, kept, fetched, end };
    std::optional<ImageCandidate> take(Step step);

    const ImageFinder& finder_;
    BuildIdSource* by_build_id_;
    const RecordedImage& recorded_;
    Find at_path_, below_image_paths_;
    bool is_build_known_;
    Step step_ = Step::kept_first;
    bool is_at_path_ = false;  ///< else find() has looked below the image paths, too
    std::set<std::string> seen_;
};

}  // namespace op::pp
