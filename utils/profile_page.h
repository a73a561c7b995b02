// SPDX-License-Identifier: GPL-2.0-or-later
// opreport --html.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libpp/report/report.h"
#include "utils/load_profile.h"
#include "utils/outside.h"
#include "utils/shared/tool.h"

namespace op::tool {

struct ProfilePageOptions {
    const pp::ReportOptions& report;  ///< demangling, and what the head has; the threshold for code
    bool has_threshold;               ///< the threshold was given
    uint64_t size;                    ///< bytes, at least pp::least_page_size
    /// What the profiles are called; empty but for a comparison.
    std::vector<std::string> sides = {};
};

/// More columns than these (threads, CPUs) have too many boxes to compare, and need too much memory.
inline constexpr size_t most_page_columns = 64;

/// Writes the page of a loaded profile, or of two that it compares, to the output file of `outside`; call
/// stacks if all have them. Of two with three or more sessions each it has the sessions' samples. A note has
/// what is not in the page for want of room. Prints all notes before. Throws a usage error if the profiles'
/// events differ.
void write_profile_page(const std::vector<LoadedProfile*>& loaded, const ProfilePageOptions& options,
                        Outside& outside, Tool& tool);

}  // namespace op::tool
