// SPDX-License-Identifier: GPL-2.0-or-later
// A profile as one page for a browser, which needs no network: call stacks as boxes, places, functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libpp/object/demangle.h"
#include "libpp/page/page_frames.h"

namespace op::pp {

/// A line of a source, or an instruction.
struct CodeRow {
    uint64_t place;                ///< line number, or address
    std::string text;              ///< without control characters but tabs
    std::vector<uint64_t> counts;  ///< samples, one per event of the page
};

/// A function's part of a source file.
struct PageSource {
    std::string path;
    std::vector<CodeRow> rows;  ///< by line; gaps were left out
};

/// The source and instructions of a function.
struct PageCode {
    uint32_t location;  ///< index into Profile::locations of the side's coded profile: one in the function
    size_t side = 0;    ///< of a comparison 0 before, 1 after
    std::vector<PageSource> files = {};
    std::vector<CodeRow> instructions = {};
};

/// The words on a page besides the profile's, its size, and what it has besides trees.
struct PageRequest {
    std::string title;                    ///< what was profiled
    std::vector<std::string> sides = {};  ///< of a comparison, what the profiles are called; else empty
    std::vector<size_t> sessions = {};    ///< by side, how many of the profiles are its; empty = one each
    std::vector<std::vector<double>> weights = {};  ///< by profile and column: sample_weights(); may be empty
    std::vector<std::string> facts = {};            ///< lines: how it was counted, what was lost
    std::string stacks = {};  ///< a sentence on how complete the stacks are; may be empty
    std::vector<PageCode> code = {};
    std::string code_rule = {};  ///< a sentence on which functions have code
    Demangle demangle = Demangle::normal;
    uint64_t size = 5'000'000;  ///< bytes; at least least_page_size
};

/// Room for the page without a profile.
inline constexpr uint64_t least_page_size = 200'000;

struct WrittenPage {
    std::string html;
    uint64_t folded = 0;           ///< samples in nodes "[N smaller]" of the larger loss of its trees
    bool has_instructions = true;  ///< false if they were left out for want of room
    bool has_sources = true;       ///< likewise
};

/// Writes the page. Of a profile that is too large for it, instructions are left out, then sources, then the
/// smallest subtrees are folded into nodes "[N smaller]", whose samples are theirs: every total is that of
/// the profile. Foreign names are data: in the scripts' blocks base64, elsewhere escaped text.
WrittenPage write_page(const PageProfiles& profiles, const PageRequest& request);

}  // namespace op::pp
