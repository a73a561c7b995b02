// SPDX-License-Identifier: GPL-2.0-or-later
// Lists of symbols of code made at run time: what a list must be, and two lists of one process made one.
#pragma once

#include <span>
#include <vector>

#include "libop/jit/code_symbol.h"

namespace op {

/// What is known of the code of one process.
struct CodeMap {
    std::vector<CodeSymbol> symbols;   ///< sorted by address, without overlaps
    std::vector<CodeRange> contested;  ///< two captures named these differently; no symbol overlaps them

    bool operator==(const CodeMap&) const = default;
};

/// True if the symbols are sorted, have names, sizes, and code that fits, and neither overlap nor wrap.
bool is_sound(std::span<const CodeSymbol> symbols);

/// Both captures of one process number. Where they overlap with the same name, the newer symbol is kept.
/// Where they overlap with different names, neither is, and what both occupied is contested: samples have no
/// time. Both must be sound.
CodeMap joined_code(CodeMap older, CodeMap newer);

}  // namespace op
