// SPDX-License-Identifier: GPL-2.0-or-later
// Names of the reasons.
#include "libop/stacks/stack_end.h"

#include <array>

namespace op {

std::string_view stack_end_name(StackEnd end) noexcept {
    constexpr std::array<std::string_view, static_cast<size_t>(StackEnd::count)> names{
        "root",        "dump_short",  "page_absent", "stack_switch", "no_mapping",     "no_info",
        "unsupported", "no_progress", "too_deep",    "no_registers", "frame_pointers", "not_copied"};
    return end < StackEnd::count ? names[static_cast<size_t>(end)] : "unknown";
}

}  // namespace op
