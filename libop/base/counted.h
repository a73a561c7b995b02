// SPDX-License-Identifier: GPL-2.0-or-later
// Numbers of things, for messages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace op {

/// "1 ONE", or the number and `many`: counted(n, "sample was lost", "samples were lost"). Without `many` it
/// is `one` with an s.
inline std::string counted(uint64_t count, std::string_view one, std::string_view many = {}) {
    std::string text = std::to_string(count) + " ";
    if (count != 1 && !many.empty()) return text.append(many);
    return text.append(one).append(count == 1 ? "" : "s");
}

}  // namespace op
