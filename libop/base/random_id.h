// SPDX-License-Identifier: GPL-2.0-or-later
// Ids that are unique without a central count.
#pragma once

#include <string>

namespace op {

/// 128 random bits as 32 lower-case hexadecimal digits. Throws a system error.
std::string random_id();

}  // namespace op
