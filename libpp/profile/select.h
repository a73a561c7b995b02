// SPDX-License-Identifier: GPL-2.0-or-later
// Selects sample files by a profile specification. Reads names only, not the content of sample files.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "libop/base/diagnostics.h"
#include "libop/session/sample_path.h"
#include "libop/session/session.h"
#include "libpp/profile/profile_spec.h"
#include "libpp/symbols/image_finder.h"

namespace op::pp {

/// A sample file that feeds the report.
struct SelectedFile {
    size_t session = 0;  ///< index into the sessions
    std::string path;    ///< below the session's sample directory
    SampleName name;
    /// Added to the keys of samples in `name.image`, and to those in `name.callee`: they are of a region that
    /// has a place in that image.
    uint64_t first_offset = 0, callee_offset = 0;
};

/// Checks if sample files match a specification. Images are compared by their recorded name and by their path
/// on this machine, so that a kernel module can be named by its path.
class SampleFilter {
public:
    /// Patterns of images and sample files also match relative to the working directory and, for existing
    /// files, by their real path. With `is_exact` images are selected by their whole names in the session
    /// only. Spec and finder must outlive the filter.
    SampleFilter(const ProfileSpec& spec, const ImageFinder& finder, bool is_exact = false);

    /// True if the file at `path` below `directory`, the session's absolute path, is selected. Not const:
    /// results of disk lookups are cached.
    bool matches(const SampleName& name, const std::string& directory, const std::string& path,
                 Diagnostics& notes);
    /// From now on the word, which is no path and no pattern, is also of all images with that base name.
    void match_base_names(const std::string& word);
    /// True if a word of the specification, a path or a pattern, is of one of these images.
    bool is_any_named(const std::string& word, const std::set<ImageName>& images, Diagnostics& notes);

private:
    using Names = std::vector<std::string>;
    using Patterns = std::vector<std::string>;

    bool selects(const Patterns& patterns, const Names& names) const;
    bool images_match(const SampleName& name, Diagnostics& notes);
    const Names& names_of(const ImageName& image, Diagnostics& notes);

    const ProfileSpec& spec_;
    const ImageFinder& finder_;
    bool is_exact_;
    Patterns words_, images_, excluded_, libraries_, excluded_libraries_, sample_files_;
    std::map<ImageName, Names> names_;
};

/// The directory of a session: SESSION_DIR/samples/NAME, or NAME itself if it begins with '.' or '/'.
std::string session_path(const std::string& session_dir, const std::string& name);

/// Opens the specification's sessions. Throws a usage error with a remedy if no session has that name; the
/// remedy is --session-dir if the name is that of a session directory. Otherwise throws a system error.
std::vector<SessionReader> open_sessions(const ProfileSpec& spec, const std::string& session_dir);

/// Options of a selection besides the specification.
struct SelectOptions {
    bool exclude_dependent = false;  ///< only samples in the application's own image
    bool callgraph = false;          ///< call-graph files, too
    bool is_exact = false;           ///< see SampleFilter
};

/// The selected files, by session, then path. A word that no image has names those whose base name it is.
/// Call-graph files are left out unless requested, and with a warning samples of the profiler writing its own
/// samples and those whose application is anonymous memory. Throws a usage error if the sessions hold no
/// sample file with samples, or if none is selected.
std::vector<SelectedFile> select_files(const std::vector<SessionReader>& sessions, const ProfileSpec& spec,
                                       const SelectOptions& options, const ImageFinder& finder,
                                       Diagnostics& notes);

}  // namespace op::pp
