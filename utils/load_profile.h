// SPDX-License-Identifier: GPL-2.0-or-later
// From a profile specification to a profile: what every report command does before it reports.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libpp/profile/arrange.h"
#include "libpp/profile/profile.h"
#include "libpp/profile/sample_set.h"
#include "libpp/profile/split_inlines.h"
#include "libpp/profile/symbol_notes.h"
#include "libpp/report/report.h"
#include "libpp/symbols/symbolizer.h"
#include "utils/report_options.h"
#include "utils/shared/tool.h"

namespace op::tool {

/// What to select and how to sum it.
struct LoadOptions {
    pp::SelectOptions select;
    pp::Merge merge;
    bool wants_lines = false;                    ///< images without source lines are worth a note
    bool may_differ_in_several = false;          ///< columns may, as for pp::arrange
    std::optional<pp::SplitOptions> split = {};  ///< symbols by inlined function
    bool notes_missing = true;                   ///< names that are missing are worth a note
};

/// False if there is no file of that name: memory, and the kernel where no image was named.
bool has_file(const ImageName& image);

/// The sample files that a specification selects, arranged, and on demand the profile of them. Everything it
/// returns is valid as long as it. Not movable: its parts refer to each other.
class LoadedProfile {
public:
    /// Opens, selects and arranges; reads no sample file. `common` must outlive the object. Throws as the
    /// parts do.
    LoadedProfile(const CommonOptions& common, const std::vector<std::string>& words,
                  const LoadOptions& options, Tool& tool);
    LoadedProfile(const LoadedProfile&) = delete;
    LoadedProfile& operator=(const LoadedProfile&) = delete;

    const OpenedSessions& opened() const noexcept { return opened_; }
    const std::vector<pp::SelectedFile>& files() const noexcept { return files_; }
    const pp::ProfileClasses& classes() const noexcept { return classes_; }
    pp::SampleSet& samples() noexcept { return samples_; }
    /// The file that an image's names come from (of the kernel, the one that the user named), else the one
    /// found for it, else none. Only after profile().
    std::optional<std::string> file_of(const ImageName& image);
    /// The kernel image that the user named; empty = none.
    const std::string& vmlinux() const noexcept { return common_.vmlinux; }
    /// The source of files that are not here; null = none.
    pp::BuildIdSource* by_build_id() const noexcept { return by_build_id_.get(); }
    /// The profile; built at the first call, with notes about the names that are missing in it, if they are
    /// wanted.
    const pp::Profile& profile();
    /// Adds the notes about missing names, where profile() was not to.
    void note_missing(const pp::ConcernsImage& concerns);
    /// Where the packages of its images are looked up: the archive, else --root, else (empty) this machine.
    std::string package_root() const;
    /// The same with what it was symbolized by.
    pp::SymbolizedProfile symbolized() { return {&profile(), &*symbolizer_}; }
    /// The head of a report on it. Only after samples were read.
    pp::ReportHead head(const pp::ReportOptions& options) const;
    /// Remarks on how its events were counted; head() has them, too.
    std::vector<std::string> remarks() const;

private:
    const CommonOptions& common_;
    bool wants_lines_, notes_missing_;
    std::unique_ptr<pp::BuildIdSource> by_build_id_;
    const std::optional<pp::SplitOptions> split_;
    OpenedSessions opened_;
    std::vector<pp::SelectedFile> files_;
    pp::ProfileClasses classes_;
    pp::SampleSet samples_;
    std::string kallsyms_;
    std::optional<pp::Symbolizer> symbolizer_;
    std::optional<pp::Profile> profile_;
};

}  // namespace op::tool
