// SPDX-License-Identifier: GPL-2.0-or-later
// The lines of symbols as DWARF line tables. Writes version 4, reads versions 2 to 4 of the 32-bit format
// (DWARF 4, section 6.2). Columns, statements and the like are not kept.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libop/jit/code_symbol.h"
#include "libop/jit/ordered_bytes.h"

namespace op {

/// Of one file: so many rows, and bytes of the names of files in all rows together, are read. A name is cut
/// after so many bytes.
inline constexpr size_t most_code_lines = size_t{1} << 21, most_code_line_text = size_t{128} << 20,
                        longest_code_file = 4096;

/// The content of the sections of that name; all empty if no symbol has lines.
struct LineSections {
    std::string debug_abbrev, debug_info, debug_line;
};

/// The symbols must be sound.
LineSections make_line_sections(std::span<const CodeSymbol> symbols, NumberLayout layout);

/// The lines in a .debug_line, sorted by address. The end of a sequence is line 0. Throws an input error
/// naming `what` if the section is damaged.
std::vector<CodeLine> parse_line_section(std::span<const std::byte> debug_line, NumberLayout layout,
                                         std::string_view what);

}  // namespace op
