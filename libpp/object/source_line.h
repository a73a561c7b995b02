// SPDX-License-Identifier: GPL-2.0-or-later
// The source of an instruction by the debug information. Plain data.
#pragma once

#include <cstdint>
#include <string_view>

namespace op::pp {

/// The source line of an instruction.
struct SourceLine {
    std::string_view file;  ///< as recorded by the compiler, directory joined; valid as long as its table
    uint32_t line = 0;      ///< 0 = code that the compiler credits to no line of that file
};

/// A function at an instruction.
struct InlineFrame {
    std::string_view function;  ///< linkage name, else plain name as in the debug information; empty = the
                                ///< symbol's own; valid as long as its table
    /// The place in that function: of the instruction for the innermost function, of the call for the others.
    /// File empty = not known.
    std::string_view file;
    uint32_t line = 0;  ///< 0 = not known, or code that the compiler credits to no line
};

}  // namespace op::pp
