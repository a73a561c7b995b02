// SPDX-License-Identifier: GPL-2.0-or-later
// Names that somebody may have meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace op {

/// Up to three of `names` that differ from `word` by few letters, or contain it, the nearest first. Ignores
/// case. Each name is returned once.
std::vector<std::string> nearest_names(std::string_view word, const std::vector<std::string>& names);

/// "; did you mean A, B or C?", or nothing without names.
std::string did_you_mean(const std::vector<std::string>& names);

}  // namespace op
