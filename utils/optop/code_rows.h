// SPDX-License-Identifier: GPL-2.0-or-later
// The instructions of one function with their samples.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "utils/optop/live_symbols.h"

namespace op::tool {

/// An instruction, or a sampled address where the code is not at hand.
struct CodeRow {
    uint64_t address = 0;  ///< as linked
    uint64_t samples = 0;
    std::string text;    ///< as objdump shows it; may be empty. Not safe for a terminal, as `source`
    std::string source;  ///< "FILE:LINE"; may be empty
};

/// The rows of the function that begins at `start`: its instructions, up to so many, or only those that have
/// samples. `samples` are by key of the sample files. `file` is where the image's symbols are from, empty if
/// they are from none.
inline constexpr size_t most_code_rows = 5000;
std::vector<CodeRow> code_rows(const PlacedSymbols& image, ImageOffset start,
                               const std::map<uint64_t, uint64_t>& samples, const std::string& file);

}  // namespace op::tool
