// SPDX-License-Identifier: GPL-2.0-or-later
// Where other programs of the project are.
#pragma once

#include <string>

namespace op::tool {

/// The program of that name in this program's directory, else the name for a search along PATH.
std::string program_beside(const std::string& name);

}  // namespace op::tool
