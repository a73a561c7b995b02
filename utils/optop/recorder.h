// SPDX-License-Identifier: GPL-2.0-or-later
// operf as a child of optop, for as long as somebody looks. Takes no samples itself.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libop/base/fd.h"

namespace op::tool {

/// How operf is started.
struct RecorderPlan {
    std::vector<std::string> words;  ///< operf's arguments
    bool is_quiet = false;           ///< keep what it and its program print until the end: there is a screen
};

/// Starts operf and a process that looks at its session, and returns in both. In the one that looks, with
/// nothing: `ended` is then readable once operf has ended. In the other one when both have ended, with the
/// status to exit with: operf gets SIGINT when nobody looks any more. operf is the one in this program's
/// directory, else that of PATH. Throws a system error.
std::optional<int> record_beside(const RecorderPlan& plan, Fd& ended);

}  // namespace op::tool
