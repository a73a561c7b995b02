// SPDX-License-Identifier: GPL-2.0-or-later
// How many stacks are complete, and what to do about the others: the last line of reports on stacks.
#pragma once

#include <cstdint>
#include <string>

#include "libpp/profile/profile.h"
#include "libpp/report/report.h"

namespace op::pp {

/// The samples of a tree of stacks by the end of their stacks. The tree is the profile's, or has fewer
/// counts.
StackShares stack_shares(const Profile& profile, const StackTree& tree, Demangle demangle);

/// "0.5 %", to a tenth; "less than 0.1 %"; "99.9 %" for anything between that and 100.
std::string percent_text(double percent);

/// What share of the stacks is complete and, if not all are, why most of the others are not and what helps:
/// one or two sentences. Empty without samples.
std::string stack_shares_text(const StackShares& shares);

}  // namespace op::pp
