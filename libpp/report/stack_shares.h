// SPDX-License-Identifier: GPL-2.0-or-later
// How many stacks are complete, and what to do about the others: the last line of reports on stacks.
#pragma once

#include <cstdint>
#include <string>

#include "libpp/profile/profile.h"
#include "libpp/report/report.h"

namespace op::pp {

/// The samples of a tree of stacks by the end of their stacks.
StackShares stack_shares(const StackTree& tree);

/// The name of a cut's reason, a word: that of stack_end_name(), or "no_stack".
std::string_view cut_name(uint32_t end);

/// "0.5 %", to a tenth, never rounded up; "less than 0.1 %".
std::string percent_text(double percent);

/// What share of the stacks is complete and, if not all are, why most of the others are not and what helps:
/// one or two sentences. Empty without samples.
std::string stack_shares_text(const StackShares& shares);

}  // namespace op::pp
