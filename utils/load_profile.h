// SPDX-License-Identifier: GPL-2.0-or-later
// Turns a profile specification into a profile, which is the first step of every report command.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "libop/stacks/stack_reader.h"
#include "libpp/profile/arrange.h"
#include "libpp/profile/join_builds.h"
#include "libpp/profile/profile.h"
#include "libpp/profile/sample_set.h"
#include "libpp/profile/split_inlines.h"
#include "libpp/profile/symbol_notes.h"
#include "libpp/report/report.h"
#include "libpp/symbols/run_time_code.h"
#include "libpp/symbols/symbolizer.h"
#include "utils/outside.h"
#include "utils/report_options.h"
#include "utils/shared/tool.h"

namespace op::tool {

/// Which samples to select and how to add them up.
struct LoadOptions {
    pp::SelectOptions
        select;  ///< with call graphs: call stacks, too; of a session that has them without its pairs
    pp::Merge merge;
    bool wants_lines = false;                    ///< note images without source lines
    bool may_differ_in_several = false;          ///< columns may differ in several keys, see pp::arrange
    std::optional<pp::SplitOptions> split = {};  ///< split symbols by inlined function
    bool notes_missing = true;                   ///< note missing names
    bool joins_unknown_code = false;  ///< one row for all run-time code of a process that has no symbol
    bool compares_hosts = false;      ///< session_profiles() are one for each host that recorded sessions
    bool joins_builds = false;  ///< rows of several files of one path are joined, once they have symbols
};

/// Where a report has the remarks on call stacks that were cut or lost.
enum class StackLosses : uint8_t { in_head, apart };

/// False for names that are not those of files: memory, and the kernel if the user named no image of it.
bool has_file(const ImageName& image);

/// The sample files that a specification selects, arranged, and on demand their profile. Everything it
/// returns is valid during its lifetime. Not movable: its parts refer to each other.
class LoadedProfile {
public:
    /// Opens, selects and arranges; reads no sample file. `common` and `outside` must outlive the object.
    /// Throws as these steps do.
    LoadedProfile(const CommonOptions& common, const std::vector<std::string>& words,
                  const LoadOptions& options, const Outside& outside, Tool& tool);
    LoadedProfile(const LoadedProfile&) = delete;
    LoadedProfile& operator=(const LoadedProfile&) = delete;

    const OpenedSessions& opened() const noexcept { return opened_; }
    const std::vector<pp::SelectedFile>& files() const noexcept { return files_; }
    const pp::ProfileClasses& classes() const noexcept { return classes_; }
    const pp::RunTimeCode& run_time_code() const noexcept { return run_time_code_; }
    pp::SampleSet& samples() noexcept { return samples_; }
    /// True if some session has call stacks and they were asked for.
    bool has_stacks() const noexcept;
    /// The file that an image's symbols come from (for the kernel, the one that the user named), else the
    /// file found for it, else none. To be called after profile().
    std::optional<std::string> file_of(const ImageName& image);
    /// True if the file found for an image is not used, since it is not the profiled build; a note reports
    /// that. To be called after profile().
    bool is_other_build(const ImageName& image) const {
        return symbolizer_->is_replaced(image) && symbolizer_->file(image).empty();
    }
    /// The kernel image that the user named; empty = none.
    const std::string& vmlinux() const noexcept { return common_.vmlinux; }
    /// The source of files that are missing on this machine; null = none.
    pp::BuildIdSource* by_build_id() const noexcept { return outside_.by_build_id(); }
    /// The profile; built by the first call, which also adds the notes about missing names if notes_missing
    /// is set.
    const pp::Profile& profile();
    /// How many sessions have selected sample files, or of how many hosts they are if hosts are compared.
    /// Throws an input error if then a session has no host.
    size_t session_count() const;
    /// The profile of each of these sessions, or hosts, alone, with the columns of all; the same symbols have
    /// the same addresses and names in each. Adds no notes. To be called after profile().
    const std::vector<pp::Profile>& session_profiles();
    /// Adds the notes about missing names, for a profile that was loaded without notes_missing.
    void note_missing(const pp::ConcernsImage& concerns);
    /// The root below which the packages of its images are looked up: the archive, else --root, else empty,
    /// which is this machine.
    std::string package_root() const;
    /// The totals by application and image; reads the sample files.
    std::vector<pp::ImageTotal> totals();
    /// The profile with its symbolizer.
    pp::SymbolizedProfile symbolized() { return {&profile(), &*symbolizer_}; }
    /// The head of a report on the profile. To be called after the samples were read.
    pp::ReportHead head(const pp::ReportOptions& options, StackLosses losses = StackLosses::in_head) const;
    /// Remarks on how the events were counted, on names of programs, and those of stack_losses(); also part
    /// of head().
    std::vector<std::string> remarks() const;
    /// Remarks on call stacks of the sessions that were cut or lost; empty unless stacks were requested.
    std::vector<std::string> stack_losses() const;

private:
    void finish(pp::Profile& profile) const;
    std::vector<std::set<size_t>> selected_sessions() const;
    void add_command_remarks(std::vector<std::string>& remarks) const;
    void add_stack_losses(std::vector<std::string>& remarks) const;
    const CommonOptions& common_;
    pp::JoinedName joined_name() const;
    void join(pp::Profile& profile) const;
    bool wants_stacks_, wants_lines_, notes_missing_, joins_builds_, joins_unknown_code_, merges_processes_,
        compares_hosts_;
    const Outside& outside_;
    const std::optional<pp::SplitOptions> split_;
    OpenedSessions opened_;
    std::vector<std::optional<StackSetReader>> stacks_;  ///< by session, as far as they are asked for
    std::vector<pp::SelectedFile> files_;
    pp::RunTimeCode run_time_code_;
    pp::ProfileClasses classes_;
    pp::SampleSet samples_;
    std::string kallsyms_;
    std::optional<pp::Symbolizer> symbolizer_;
    std::optional<pp::Profile> profile_;
    std::vector<pp::Profile> session_profiles_;  ///< once they were asked for
};

}  // namespace op::tool
