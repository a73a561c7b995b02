// SPDX-License-Identifier: GPL-2.0-or-later
// Where an instruction comes from, as the debug information has it. Plain data.
#pragma once

#include <cstdint>
#include <string_view>

namespace op::pp {

/// Where an instruction comes from.
struct SourceLine {
    std::string_view file;  ///< as recorded by the compiler, directory joined; valid as long as its table
    uint32_t line = 0;      ///< 0 = code that the compiler credits to no line of that file
};

/// A function at an instruction.
struct InlineFrame {
    std::string_view function;  ///< linkage name, else plain name as in the debug information; empty = the
                                ///< symbol's own; valid as long as its table
    /// Where in that function: of the instruction for the innermost, of the call for the others. File empty =
    /// not known.
    std::string_view file;
    uint32_t line = 0;  ///< 0 = not known, or code that the compiler credits to no line
};

}  // namespace op::pp
