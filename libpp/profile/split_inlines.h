// SPDX-License-Identifier: GPL-2.0-or-later
// Splits a profile's symbols by the functions that were inlined into them.
#pragma once

#include "libpp/profile/profile.h"

namespace op::pp {

/// What is made of a profile.
struct SplitOptions {
    bool with_calls = false;  ///< an inlined call becomes an arc, from the function it is inlined into
    bool with_lines = false;  ///< lines are going to be needed, too: they are read first
};

/// Credits every sample, and every call, to the innermost function that its instruction was inlined from.
/// That function's symbol is the image's own of that name, if it has one, else one made here: functions of
/// one name in one image are one symbol. Reads the debug information of all sampled images.
void split_by_inlined_functions(Profile& profile, const SplitOptions& options);

}  // namespace op::pp
