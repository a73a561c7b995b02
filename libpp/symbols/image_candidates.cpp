// SPDX-License-Identifier: GPL-2.0-or-later
// Which file of an image comes next.
#include "libpp/symbols/image_candidates.h"

#include <algorithm>
#include <utility>

namespace op::pp {

FileChange candidate_change(const ImageCandidate& candidate, const std::string& build_id,
                            const RecordedImage& recorded) {
    if (candidate.is_by_build_id && build_id != recorded.build_id) return FileChange::other_build;
    return file_change(candidate.path, build_id, recorded);
}

bool is_kernel_file(const std::string& name, const SessionInfo* info, bool is_kernel_by_header) {
    return is_kernel_by_header ||
           (info && std::ranges::find(info->kernel_images, name, &RecordedKernelImage::name) !=
                        info->kernel_images.end());
}

ImageCandidates::ImageCandidates(const ImageFinder& finder, BuildIdSource* by_build_id,
                                 const std::string& name, const RecordedImage& recorded,
                                 const std::string& named, Diagnostics& notes)
    : finder_(finder),
      by_build_id_(by_build_id),
      name_(name),
      recorded_(recorded),
      named_(named),
      notes_(notes),
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
    if (step == Step::at_path && !named_.empty()) return ImageCandidate{named_};
    if (step == Step::at_path || step == Step::below_image_paths) {
        auto path = step == Step::at_path
                        ? finder_.find_at_path(name_)
                        : finder_.find_below_image_paths(named_.empty() ? name_ : named_, notes_);
        return path ? std::optional(ImageCandidate{std::move(*path)}) : std::nullopt;
    }
    if (!is_build_known_ || (step == Step::kept_first && !recorded_.elsewhere)) return std::nullopt;
    if (step != Step::fetched) return of_build(finder_.find_kept(recorded_.build_id));
    return by_build_id_ ? of_build(by_build_id_->executable(recorded_.build_id)) : std::nullopt;
}

}  // namespace op::pp
