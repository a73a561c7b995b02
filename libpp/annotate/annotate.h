// SPDX-License-Identifier: GPL-2.0-or-later
// Samples by source line and by instruction: the data of annotated listings. Does not read sources and does
// not disassemble.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libpp/profile/profile.h"
#include "libpp/report/report.h"

namespace op::pp {

/// One number per column.
using Counts = std::vector<uint64_t>;

/// A symbol that begins in a source file.
struct AnnotatedSymbol {
    std::string_view name;  ///< as shown; valid as long as the Symbolizer
    uint32_t line;          ///< where it begins; 0 = not known
    Counts counts;          ///< all its samples, in whatever file
};

/// A call that was inlined into a line, with its part of the line's samples.
struct InlinedCall {
    std::string_view caller;  ///< as shown; valid as long as the Symbolizer
    std::string_view file;    ///< of the call, as recorded by the compiler; empty = not known
    uint32_t line;            ///< of the call; 0 = not known
    Counts counts;
};

/// A source file with samples.
struct AnnotatedFile {
    std::string path;                      ///< one of the spellings that the compiler recorded
    Counts totals;                         ///< of its lines
    std::map<uint32_t, Counts> lines;      ///< 0 = not credited to a line
    std::vector<AnnotatedSymbol> symbols;  ///< by line, then name
    /// For inlined lines, the calls, those with most samples first; only if options ask for inlined calls.
    std::map<uint32_t, std::vector<InlinedCall>> calls = {};
};

/// A symbol of an image, for a listing of its instructions.
struct AnnotatedCode {
    uint32_t image;  ///< index into Profile::images
    const ImageSymbol* symbol;
    std::string_view name;  ///< as shown
    Counts counts;          ///< all its samples
    std::map<LinkAddress, Counts> by_address;
};

/// The content of annotated listings.
struct Annotation {
    ReportHead head;
    Counts totals;                     ///< of all wanted symbols: the base of shares
    std::vector<AnnotatedFile> files;  ///< by highest share of any column, falling
    std::vector<AnnotatedCode> code;   ///< by image, then samples, falling
    bool has_lines = false;            ///< some sample has a source line, whatever the threshold
};

/// The highest of the columns' shares, in percent.
double highest_share(const Counts& counts, const Counts& totals);

/// Sums the samples of the symbols that `options` ask for. Files and symbols with a share below
/// options.threshold in every column are left out.
Annotation annotate(const Profile& profile, ReportHead head, const ReportOptions& options);

}  // namespace op::pp
