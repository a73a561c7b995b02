// SPDX-License-Identifier: GPL-2.0-or-later
// Lines of /proc/kallsyms (proc(5)): "address type name [module]". The callers interpret them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace op {

/// One line; views into the text given.
struct KallsymsLine {
    uint64_t address;
    char type;  ///< as nm has it
    std::string_view name;
    std::string_view module;  ///< without brackets; "" = the kernel itself

    /// A function, or a mark between functions.
    bool is_text() const noexcept { return type == 't' || type == 'T' || type == 'w' || type == 'W'; }
};

/// Parses a line; none if it is no such line or its address is hidden (0).
std::optional<KallsymsLine> parse_kallsyms_line(std::string_view line);

}  // namespace op
