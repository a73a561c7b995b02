// SPDX-License-Identifier: GPL-2.0-or-later
// Where a command's result goes: standard output or a file.
#pragma once

#include <string>
#include <string_view>

namespace op::tool {

/// Writes all bytes to `path`, or to stdout if it is empty. A regular file is replaced as a whole: if
/// anything fails its old content stands. A device or pipe is written to directly. Throws a system error.
void write_output(const std::string& path, std::string_view bytes);

}  // namespace op::tool
