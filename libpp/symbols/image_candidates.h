// SPDX-License-Identifier: GPL-2.0-or-later
// The order in which the files that may be a profiled image are tried. Opens none of them.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "libop/base/diagnostics.h"
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

/// True if an image with a path is the kernel's, whose file the user may name: by the manifest (null = none)
/// or by the header of its sample file.
bool is_kernel_file(const std::string& name, const SessionInfo* info, bool is_kernel_by_header);

/// The files that may be an image, in the order of doc/adr/0016-identity-of-images.md.
class ImageCandidates {
public:
    /// `by_build_id` may be null. `named` is the file that the user named for the image, which
    /// takes the place of the one at its path; empty = none. All arguments must outlive the object.
    ImageCandidates(const ImageFinder& finder, BuildIdSource* by_build_id, const std::string& name,
                    const RecordedImage& recorded, const std::string& named, Diagnostics& notes);

    /// The next file; it is looked for, and fetched, only now. None after the last.
    std::optional<ImageCandidate> next();

private:
    enum class Step { kept_first, at_path, below_image_paths, kept, fetched, end };
    std::optional<ImageCandidate> take(Step step);

    const ImageFinder& finder_;
    BuildIdSource* by_build_id_;
    const std::string& name_;
    const RecordedImage& recorded_;
    const std::string& named_;
    Diagnostics& notes_;
    bool is_build_known_;
    Step step_ = Step::kept_first;
    std::set<std::string> seen_;
};

}  // namespace op::pp
