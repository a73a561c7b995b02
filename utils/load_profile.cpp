// SPDX-License-Identifier: GPL-2.0-or-later
// From a profile specification to a profile.
#include "utils/load_profile.h"

#include <algorithm>
#include <map>
#include <set>

#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libop/session/session_statistics.h"
#include "libop/stream/record.h"
#include "libpp/profile/build_stacks.h"
#include "libpp/profile/command_names.h"
#include "libpp/profile/image_roots.h"
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

/// The processes whose anonymous memory has samples or frames.
std::set<uint32_t> anonymous_processes(const std::vector<pp::SelectedFile>& files, const Stacks& stacks) {
    std::set<uint32_t> tgids;
    const auto add = [&](const ImageName& image) {
        if (image.kind == ImageName::Kind::anon && image.tgid != 0) tgids.insert(image.tgid);
    };
    for (const pp::SelectedFile& file : files) {
        add(file.name.image);
        if (file.name.callee) add(*file.name.callee);
    }
    for (const auto& set : stacks)
        if (set) std::ranges::for_each(set->images(), add);
    return tgids;
}

pp::RunTimeCode open_run_time_code(const std::vector<SessionReader>& sessions,
                                   const std::set<uint32_t>& tgids, Diagnostics& notes) {
    pp::RunTimeCode code;
    if (tgids.empty()) return code;
    for (const SessionReader& session : sessions)
        code.add(session, tgids, notes);
    return code;
}

/// The files with the regions of run-time code as parts of one image for each process.
std::vector<pp::SelectedFile> placed(std::vector<pp::SelectedFile> files, const pp::RunTimeCode& code) {
    const auto place = [&](ImageName& image, uint64_t& offset) {
        if (const auto placed = code.place(image)) {
            image = placed->image;
            offset = placed->first_offset;
        }
    };
    for (pp::SelectedFile& file : files) {
        place(file.name.image, file.first_offset);
        if (file.name.callee) place(*file.name.callee, file.callee_offset);
    }
    return files;
}

std::string host_of(const SessionReader& session) {
    Diagnostics known;  // noted when the sessions were opened
    const auto info = session.info(known);
    if (!info || info->host.empty())
        throw_input("--by=host: session " + printable(session.path()) + " has no host");
    return info->host;
}

/// The classes with the files of some sessions only.
pp::ProfileClasses part_of(const pp::ProfileClasses& classes, const std::vector<pp::SelectedFile>& files,
                           const std::set<size_t>& sessions) {
    pp::ProfileClasses part = classes;
    const auto keep = [&](std::vector<pp::ClassFile>& all) {
        std::erase_if(all,
                      [&](const pp::ClassFile& one) { return !sessions.contains(files[one.file].session); });
    };
    for (pp::ImageFiles& image : part.images)
        for (pp::ImagePart& app : image.parts)
            keep(app.files);
    for (pp::ArcFiles& arc : part.arcs)
        keep(arc.files);
    return part;
}

}  // namespace

LoadedProfile::LoadedProfile(const CommonOptions& common, const std::vector<std::string>& words,
                             const LoadOptions& options, const Outside& outside, Tool& tool)
    : common_(common),
      wants_stacks_(options.select.callgraph),
      wants_lines_(options.wants_lines),
      notes_missing_(options.notes_missing),
      joins_builds_(options.joins_builds),
      joins_unknown_code_(options.joins_unknown_code),
      merges_processes_(options.merge.tgid),
      compares_hosts_(options.compares_hosts),
      outside_(outside),
      split_(options.split),
      opened_(open_specified_sessions(common, words, tool)),
      stacks_(open_stacks(opened_.sessions, options.select.callgraph, tool.notes)),
      files_(without_pairs(
          select_files(opened_.sessions, opened_.spec, options.select, opened_.finder, tool.notes), stacks_)),
      run_time_code_(open_run_time_code(opened_.sessions, anonymous_processes(files_, stacks_), tool.notes)),
      classes_(arrange(files_ = placed(std::move(files_), run_time_code_), options.merge,
                       options.may_differ_in_several)),
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
    symbolizer_.emplace(
        opened_.finder, opened_.info ? &*opened_.info : nullptr, kallsyms_,
        pp::SymbolizerOptions{common_.vmlinux, by_build_id(), common_.trust_path, &run_time_code_},
        samples_.notes());
    ProgressLine line;
    const auto show = [&line](size_t done, size_t all) {
        line.show("reading images and samples: " + std::to_string(done) + " of " + std::to_string(all));
    };
    profile_.emplace(build_profile(classes_, samples_, *symbolizer_, show));
    add_stacks(*profile_, classes_, samples_, *symbolizer_, stacks_);
    if (notes_missing_) note_missing(nullptr);
    finish(*profile_);
    line.clear();
    return *profile_;
}

void LoadedProfile::finish(pp::Profile& profile) const {
    if (split_) split_by_inlined_functions(profile, *split_);
    join(profile);
}

/// Each session with selected files alone, or those of each host together.
std::vector<std::set<size_t>> LoadedProfile::selected_sessions() const {
    std::map<std::string, std::set<size_t>> by_host;
    std::set<size_t> sessions;
    for (const pp::SelectedFile& file : files_)
        sessions.insert(file.session);
    std::vector<std::set<size_t>> parts;
    for (const size_t session : sessions) {
        if (!compares_hosts_)
            parts.push_back({session});
        else
            by_host[host_of(opened_.sessions[session])].insert(session);
    }
    for (auto& [host, all] : by_host)
        parts.push_back(std::move(all));
    return parts;
}

size_t LoadedProfile::session_count() const {
    return selected_sessions().size();
}

const std::vector<pp::Profile>& LoadedProfile::session_profiles() {
    if (!session_profiles_.empty()) return session_profiles_;
    Diagnostics known;  // all there is to note was noted of the whole
    pp::SampleSet samples(opened_.sessions, files_, opened_.events, std::nullopt, known);
    for (const std::set<size_t>& part : selected_sessions()) {
        const pp::ProfileClasses classes = part_of(classes_, files_, part);
        pp::Profile& profile = session_profiles_.emplace_back(build_profile(classes, samples, *symbolizer_));
        add_stacks(profile, classes, samples, *symbolizer_, stacks_);
        finish(profile);
    }
    return session_profiles_;
}

bool LoadedProfile::has_stacks() const noexcept {
    return std::ranges::any_of(stacks_, [](const auto& set) { return set.has_value(); });
}

std::vector<pp::ImageTotal> LoadedProfile::totals() {
    return join_totals(image_totals(classes_, samples_), joined_name());
}

pp::JoinedName LoadedProfile::joined_name() const {
    return [this](const ImageName& image) {
        if (merges_processes_) {
            ImageName merged = pp::RunTimeCode::merged_image(image);
            if (merged != image) return merged;
        }
        return joins_builds_ && opened_.info ? pp::named_by_path(image, *opened_.info) : image;
    };
}

void LoadedProfile::join(pp::Profile& profile) const {
    const bool joins_run_time_code = !run_time_code_.is_empty() && (joins_unknown_code_ || merges_processes_);
    if ((joins_builds_ && opened_.info) || joins_run_time_code) join_rows(profile, joined_name());
}

void LoadedProfile::note_missing(const pp::ConcernsImage& concerns) {
    const pp::SymbolizedProfile made{&*profile_, &*symbolizer_};
    note_missing_symbols(std::span(&made, 1),
                         {wants_lines_, concerns, package_root(), common_.most_missing()}, samples_.notes());
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

pp::ReportHead LoadedProfile::head(const pp::ReportOptions& options, StackLosses losses) const {
    pp::ReportHead head = make_head(options, classes_.axis, classes_.classes, samples_.header(),
                                    opened_.info ? &*opened_.info : nullptr, samples_.notes(),
                                    scaled_columns(classes_, samples_));
    head.weights = sample_weights(classes_, samples_);
    add_command_remarks(head.remarks);
    if (losses == StackLosses::in_head) add_stack_losses(head.remarks);
    head.sessions = session_count();
    head.counts_hosts = compares_hosts_;
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
    add_stack_losses(remarks);
    return remarks;
}

void LoadedProfile::add_stack_losses(std::vector<std::string>& remarks) const {
    for (std::string& line : stack_losses())
        remarks.push_back(std::move(line));
}

std::vector<std::string> LoadedProfile::stack_losses() const {
    return wants_stacks_ && opened_.info ? stack_loss_notes(opened_.info->stacks)
                                         : std::vector<std::string>{};
}

}  // namespace op::tool
