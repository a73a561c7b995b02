// SPDX-License-Identifier: GPL-2.0-or-later
// Paths that do not depend on the working directory.
#pragma once

#include <optional>
#include <string>

namespace op {

/// The absolute path, without "." and ".."; the file need not exist. Throws a system error if the working
/// directory is unknown.
std::string absolute_path(const std::string& path);
/// The same; none if the working directory is unknown.
std::optional<std::string> find_absolute_path(const std::string& path);

/// The absolute path of an existing file, without symbolic links (realpath(3)). Throws a system error
/// "cannot open PATH".
std::string real_path(const std::string& path);

}  // namespace op
