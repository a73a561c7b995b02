// SPDX-License-Identifier: GPL-2.0-or-later
// Properties of the terminal.
#pragma once

#include <cstddef>
#include <string>

namespace op::tool {

/// True if the descriptor is a terminal that can move its cursor (TERM is set and not "dumb").
bool is_terminal(int fd);

/// Columns of the terminal, at least 20; 80 if unknown.
size_t terminal_width(int fd);

}  // namespace op::tool
