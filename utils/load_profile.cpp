// SPDX-License-Identifier: GPL-2.0-or-later
// From a profile specification to a profile.
#include "utils/load_profile.h"

namespace op::tool {

LoadedProfile::LoadedProfile(const CommonOptions& common, const std::vector<std::string>& words,
                             const LoadOptions& options, Tool& tool)
    : common_(common),
      split_(options.split),
      opened_(open_specified_sessions(common, words, tool)),
      files_(select_files(opened_.sessions, opened_.spec, options.select, opened_.finder, tool.notes)),
      classes_(arrange(files_, options.merge, options.may_differ_in_several)),
      samples_(opened_.sessions, files_, opened_.accounted, tool.notes) {}

const pp::Profile& LoadedProfile::profile() {
    if (profile_) return *profile_;
    kallsyms_ = opened_.kallsyms(samples_.notes());
    symbolizer_.emplace(opened_.finder, opened_.info ? &*opened_.info : nullptr, kallsyms_,
                        pp::SymbolizerOptions{common_.vmlinux}, samples_.notes());
    profile_.emplace(build_profile(classes_, samples_, *symbolizer_));
    if (split_) split_by_inlined_functions(*profile_, *split_);
    return *profile_;
}

pp::ReportHead LoadedProfile::head(const pp::ReportOptions& options) const {
    return make_head(options, classes_.axis, classes_.classes, samples_.header(),
                     opened_.info ? &*opened_.info : nullptr, samples_.notes());
}

}  // namespace op::tool
