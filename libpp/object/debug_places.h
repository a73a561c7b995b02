// SPDX-License-Identifier: GPL-2.0-or-later
// Where the files lie that a debug file refers to. Plain data.
#pragma once

#include <string>
#include <vector>

#include "libop/base/diagnostics.h"

namespace op::pp {

/// Where to look for what a debug file refers to.
struct DebugPlaces {
    std::string path = {};                ///< of the debug file itself; empty = it is no file
    std::string image = {};               ///< of the image that it is of; often the same
    std::vector<std::string> roots = {};  ///< prefixes of absolute paths; "" = this machine's
    Diagnostics* notes = nullptr;         ///< gets a note of what is not found; null = no notes
};

}  // namespace op::pp
