// SPDX-License-Identifier: GPL-2.0-or-later
// Splits a profile's symbols by the functions that were inlined into them.
#pragma once

#include "libpp/profile/profile.h"

namespace op::pp {

/// Options of the split.
struct SplitOptions {
    bool with_calls = false;  ///< an inlined call becomes an arc, from the function it is inlined into;
                              ///< in stacks an inlined function becomes a node
    bool with_lines = false;  ///< lines are going to be needed, too: they are read first
};

/// Credits every sample, and every call, to the innermost function that its instruction was inlined from.
/// The function's symbol is the image's symbol of that name, or a new one: functions of one name in one image
/// are one symbol. Reads the debug information of all sampled images.
void split_by_inlined_functions(Profile& profile, const SplitOptions& options);

}  // namespace op::pp
