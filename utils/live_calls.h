// SPDX-License-Identifier: GPL-2.0-or-later
// The callers and callees of a function in a session that may be being recorded.
#pragma once

#include "libpp/profile/profile.h"
#include "utils/optop/row_calls.h"
#include "utils/outside.h"
#include "utils/report_options.h"

namespace op::tool {

/// The calls of a function in a profile: from its stacks, where it has them, else from its arcs, which have
/// one step.
RowCalls calls_in(const pp::Profile& profile, const CalledFunction& function);

/// The same, read from the session of the options, in the state that it has now. What fails is the remark.
RowCalls read_calls(const CommonOptions& common, const Outside& outside, const CalledFunction& function);

}  // namespace op::tool
