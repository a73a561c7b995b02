// SPDX-License-Identifier: GPL-2.0-or-later
// Turns raw symbols into ranges that do not overlap: chooses one of several names at an address and the end
// of each range. Rules: doc/FORMATS.md, "From key to symbol".
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "libop/base/object_file.h"

namespace op::pp {

/// A named range of a file's code.
struct SymbolRange {
    uint64_t start = 0;        ///< file offset of the first byte
    uint64_t length = 0;       ///< bytes, up to the next symbol or the section's end; never 0
    LinkAddress address;       ///< of start
    std::string_view name;     ///< mangled; empty = a function without a name
    std::string_view section;  ///< set where the range is named by its section, which has no symbol there
};

/// One symbol at each address, the one that names it best; sorted by address.
std::vector<RawSymbol> best_symbols(std::vector<RawSymbol> symbols);

/// Makes ranges for all code sections, sorted by start. Labels inside a function are left out. Code before a
/// section's first symbol becomes a range named after the section. `functions` are starts of nameless
/// functions, in any order; those inside a symbol's own size are dropped.
std::vector<SymbolRange> make_ranges(std::span<const Section> sections, std::vector<RawSymbol> symbols,
                                     std::span<const LinkAddress> functions);

/// The starts of functions that the table in .eh_frame_hdr lists (LSB, "The .eh_frame_hdr section"); empty if
/// the table is missing, damaged or of an unusual encoding.
std::vector<LinkAddress> unwind_function_starts(std::span<const Section> sections);

}  // namespace op::pp
