// SPDX-License-Identifier: GPL-2.0-or-later
// Paths that do not depend on the working directory.
#pragma once

#include <string>

namespace op {

/// The path from the root, without "." and ".."; whether there is such a file does not matter. Throws a
/// system error if the working directory is unknown.
std::string absolute_path(const std::string& path);

/// The path of an existing file from the root, without symbolic links (realpath(3)). Throws a system error
/// "cannot open PATH".
std::string real_path(const std::string& path);

}  // namespace op
