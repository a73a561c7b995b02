// SPDX-License-Identifier: GPL-2.0-or-later
// The places of files that a debug file refers to. Plain data.
#pragma once

#include <string>
#include <vector>

#include "libop/base/diagnostics.h"

namespace op::pp {

/// The places to search for files that a debug file refers to.
struct DebugPlaces {
    std::string path = {};                ///< of the debug file itself; empty = it is not a file
    std::string image = {};               ///< of the image that it belongs to; often the same
    std::vector<std::string> roots = {};  ///< prefixes of absolute paths; "" = this machine's
    Diagnostics* notes = nullptr;         ///< gets a note on each missing file; null = no notes
};

}  // namespace op::pp
