// SPDX-License-Identifier: GPL-2.0-or-later
// Which file of an image comes next.
#include "libpp/symbols/image_candidates.h"

#include <utility>

namespace op::pp {

FileChange candidate_change(const ImageCandidate& candidate, const std::string& build_id,
                            const RecordedImage& recorded) {
    if (candidate.is_by_build_id && build_id != recorded.build_id) return FileChange::other_build;
    return file_change(candidate.path, build_id, recorded);
}

ImageCandidates::ImageCandidates(const ImageFinder& finder, BuildIdSource* by_build_id,
                                 const RecordedImage& recorded, Find at_path, Find below_image_paths)
    : finder_(finder),
      by_build_id_(by_build_id),
      recorded_(recorded),
      at_path_(std::move(at_path)),
      below_image_paths_(std::move(below_image_paths)),
      is_build_known_(!recorded.build_id.empty() && !recorded.several_builds) {}

std::optional<ImageCandidate> ImageCandidates::next() {
    while (step_ != Step::end) {
        const Step step = step_;
        step_ = static_cast<Step>(static_cast<int>(step) + 1);
        if (auto file = take(step); file && seen_.insert(file->path).second) return file;
    }
    return std::nullopt;
}

std::optional<ImageCandidate> ImageCandidates::take(Step step) {
    const auto of_build = [](std::optional<std::string> path) {
        return path ? std::optional(ImageCandidate{std::move(*path), true}) : std::nullopt;
    };
    if (step == Step::at_path || step == Step::below_image_paths) {
        if (step == Step::below_image_paths && !is_at_path_) return std::nullopt;
        auto path = step == Step::at_path ? at_path_() : below_image_paths_();
        is_at_path_ = path.has_value();
        return path ? std::optional(ImageCandidate{std::move(*path)}) : std::nullopt;
    }
    if (!is_build_known_ || (step == Step::kept_first && !recorded_.elsewhere)) return std::nullopt;
    if (step != Step::fetched) return of_build(finder_.find_kept(recorded_.build_id));
    return by_build_id_ ? of_build(by_build_id_->executable(recorded_.build_id)) : std::nullopt;
}

}  // namespace op::pp
