// SPDX-License-Identifier: GPL-2.0-or-later
// The last part of building a profile: the call stacks of the selected samples.
#pragma once

#include <optional>
#include <span>

#include "libop/stacks/stack_reader.h"
#include "libpp/profile/arrange.h"
#include "libpp/profile/profile.h"
#include "libpp/profile/sample_set.h"
#include "libpp/symbols/symbolizer.h"

namespace op::pp {

/// Adds the stacks of all samples of a profile that has its flat samples, and the locations, symbols and
/// images they need. `sets` has the stacks of each session, none for a session without. A stack is selected
/// as its innermost frame is: by the sample file of that application and image. Samples without a stack get
/// one, their address below a cut StackTree::no_stack, so that the stacks' totals are those of the flat
/// samples. Does nothing if no session has stacks.
void add_stacks(Profile& profile, const ProfileClasses& classes, SampleSet& samples, Symbolizer& symbolizer,
                std::span<std::optional<StackSetReader>> sets);

}  // namespace op::pp
