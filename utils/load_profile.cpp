// SPDX-License-Identifier: GPL-2.0-or-later
// From a profile specification to a profile.
#include "utils/load_profile.h"

#include <algorithm>

#include "libop/stream/record.h"
#include "libpp/profile/build_stacks.h"
#include "libpp/profile/command_names.h"
#include "libpp/profile/image_roots.h"
#include "libpp/profile/join_builds.h"
#include "utils/shared/progress.h"

namespace op::tool {

namespace {

using Stacks = std::vector<std::optional<StackSetReader>>;

/// The stacks of each session that has them.
Stacks open_stacks(const std::vector<SessionReader>& sessions, bool is_wanted, Diagnostics& notes) {
    Stacks stacks;
    for (const SessionReader& session : sessions)
        stacks.push_back(is_wanted ? StackSetReader::open(session.directory(), session.path(), notes)
                                   : std::nullopt);
    return stacks;
}

/// The files without the pairs of caller and callee of sessions that have stacks.
std::vector<pp::SelectedFile> without_pairs(std::vector<pp::SelectedFile> files, const Stacks& stacks) {
    std::erase_if(files, [&](const pp::SelectedFile& file) {
        return file.name.callee && stacks[file.session].has_value();
    });
    return files;
}

}  // namespace

LoadedProfile::LoadedProfile(const CommonOptions& common, const std::vector<std::string>& words,
                             const LoadOptions& options, const Outside& outside, Tool& tool)
    : common_(common),
      wants_lines_(options.wants_lines),
      notes_missing_(options.notes_missing),
      joins_builds_(options.joins_builds),
      outside_(outside),
      split_(options.split),
      opened_(open_specified_sessions(common, words, tool)),
      stacks_(open_stacks(opened_.sessions, options.select.callgraph, tool.notes)),
      files_(without_pairs(
          select_files(opened_.sessions, opened_.spec, options.select, opened_.finder, tool.notes), stacks_)),
      classes_(arrange(files_, options.merge, options.may_differ_in_several)),
      samples_(opened_.sessions, files_, opened_.events, opened_.accounted, tool.notes) {
    if (opened_.info) name_threads(classes_.classes, opened_.info->names);
    if (classes_.are_threads_merged)
        tool.notes.warn(
            "this session separates processes and threads; they are added up: choose some with tgid: or "
            "tid:, or give " +
            classes_.separate_with);
}

const pp::Profile& LoadedProfile::profile() {
    if (profile_) return *profile_;
    kallsyms_ = opened_.kallsyms(samples_.notes());
    symbolizer_.emplace(opened_.finder, opened_.info ? &*opened_.info : nullptr, kallsyms_,
                        pp::SymbolizerOptions{common_.vmlinux, by_build_id(), common_.trust_path},
                        samples_.notes());
    ProgressLine line;
    const auto show = [&line](size_t done, size_t all) {
        line.show("reading images and samples: " + std::to_string(done) + " of " + std::to_string(all));
    };
    profile_.emplace(build_profile(classes_, samples_, *symbolizer_, show));
    add_stacks(*profile_, classes_, samples_, *symbolizer_, stacks_);
    if (notes_missing_) note_missing(nullptr);
    if (split_) split_by_inlined_functions(*profile_, *split_);
    if (joins_builds_ && opened_.info) join_builds(*profile_, *opened_.info);
    line.clear();
    return *profile_;
}

bool LoadedProfile::has_stacks() const noexcept {
    return std::ranges::any_of(stacks_, [](const auto& set) { return set.has_value(); });
}

std::vector<pp::ImageTotal> LoadedProfile::totals() {
    auto totals = image_totals(classes_, samples_);
    return joins_builds_ && opened_.info ? pp::join_builds(totals, *opened_.info) : totals;
}

void LoadedProfile::note_missing(const pp::ConcernsImage& concerns) {
    const pp::SymbolizedProfile made{&*profile_, &*symbolizer_};
    note_missing_symbols(std::span(&made, 1), {wants_lines_, concerns, package_root()}, samples_.notes());
}

std::string LoadedProfile::package_root() const {
    const std::string& archive = opened_.spec.archive;
    return archive.empty() ? common_.root : archive;
}

bool has_file(const ImageName& image) {
    return image.kind != ImageName::Kind::anon && image.name != kallsyms_image && image.name != no_vmlinux;
}

std::optional<std::string> LoadedProfile::file_of(const ImageName& image) {
    if (const auto file = symbolizer_->file(image); !file.empty()) return std::string(file);
    const bool is_elsewhere = opened_.info && opened_.info->is_elsewhere(image.name) && !common_.trust_path;
    return has_file(image) && !is_elsewhere ? opened_.finder.find(image.name, samples_.notes())
                                            : std::nullopt;
}

pp::ReportHead LoadedProfile::head(const pp::ReportOptions& options) const {
    pp::ReportHead head = make_head(options, classes_.axis, classes_.classes, samples_.header(),
                                    opened_.info ? &*opened_.info : nullptr, samples_.notes(),
                                    scaled_columns(classes_, samples_));
    add_command_remarks(head.remarks);
    head.samples_dir = opened_.default_dir;
    return head;
}

void LoadedProfile::add_command_remarks(std::vector<std::string>& remarks) const {
    if (!opened_.info) return;
    for (std::string& line : command_remarks(classes_.images, opened_.info->names))
        remarks.push_back(std::move(line));
    if (joins_builds_)
        for (std::string& line : join_remarks(classes_.images, *opened_.info))
            remarks.push_back(std::move(line));
    for (std::string& line : root_remarks(classes_.images, *opened_.info))
        remarks.push_back(std::move(line));
}

std::vector<std::string> LoadedProfile::remarks() const {
    std::vector<std::string> remarks = pp::report_footnotes(
        classes_.classes, opened_.info ? &*opened_.info : nullptr, scaled_columns(classes_, samples_));
    add_command_remarks(remarks);
    return remarks;
}

}  // namespace op::tool
