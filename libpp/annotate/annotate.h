// SPDX-License-Identifier: GPL-2.0-or-later
// Samples by source line and by instruction: what annotated listings show. Does not read sources, does not
// disassemble.
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

/// A call that was inlined: whose samples of a line these are.
struct InlinedCall {
    std::string_view caller;  ///< as shown; valid as long as the Symbolizer
    std::string_view file;    ///< of the call, as recorded by the compiler; empty = not known
    uint32_t line;            ///< of the call; 0 = not known
    Counts counts;
};

/// A source file with samples.
struct AnnotatedFile {
    std::string path;                      ///< as recorded by the compiler; of several spellings, one
    Counts totals;                         ///< of its lines
    std::map<uint32_t, Counts> lines;      ///< 0 = not credited to a line
    std::vector<AnnotatedSymbol> symbols;  ///< by line, then name
    /// Of lines that were inlined, the calls with most samples first; only if options ask for inlined calls.
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

/// What annotated listings are made of.
struct Annotation {
    ReportHead head;
    Counts totals;                     ///< of all wanted symbols: what shares are shares of
    std::vector<AnnotatedFile> files;  ///< by highest share of any column, falling
    std::vector<AnnotatedCode> code;   ///< by image, then samples, falling
    bool has_lines = false;            ///< some sample has a source line, whatever the threshold
};

/// The highest of the columns' shares, in percent.
double highest_share(const Counts& counts, const Counts& totals);

/// Sums the samples of the symbols that `options` ask for. Files with a share below options.threshold in
/// every column, and such symbols, are left out.
Annotation annotate(const Profile& profile, ReportHead head, const ReportOptions& options);

}  // namespace op::pp
