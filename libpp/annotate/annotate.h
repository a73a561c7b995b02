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

/// One of several copies of the code of a function, as run-time compilers make when they compile it again.
struct CodeVersion {
    LinkAddress address;  ///< for people
    Counts counts;        ///< all its samples
};

/// A symbol that begins in a source file.
struct AnnotatedSymbol {
    std::string_view name;  ///< as shown; valid as long as the Symbolizer
    uint32_t line;          ///< where it begins; 0 = not known
    Counts counts;          ///< all its samples, in whatever file and version
    /// Those of its image with samples, falling, if there are several of that name and line.
    std::vector<CodeVersion> versions = {};
};

/// A call that was inlined into a line, with its part of the line's samples.
struct InlinedCall {
    std::string_view caller;  ///< as shown; valid as long as the Symbolizer
    std::string_view file;    ///< of the call, as recorded by the compiler; empty = not known
    uint32_t line;            ///< of the call; 0 = not known
    Counts counts;
};

/// The origin of a source file.
enum class SourceOrigin : uint8_t {
    own,      ///< neither of the others
    package,  ///< its samples are in images of the system only
    library,  ///< a header or source that was installed: of the system, a compiler, or a package manager
};

/// The origin of a source by its path without "." and ".."; `is_packaged` if its samples are in images of the
/// system only.
SourceOrigin origin_of(std::string_view path, bool is_packaged);

/// True if an image lies where the system's packages have theirs, or is of the kernel.
bool is_packaged(const ImageName& image);

/// A source file with samples.
struct AnnotatedFile {
    std::string path;                      ///< one of the spellings that the compiler recorded
    Counts totals;                         ///< of its lines
    std::map<uint32_t, Counts> lines;      ///< 0 = not credited to a line
    std::vector<AnnotatedSymbol> symbols;  ///< by line, then name
    /// For inlined lines, the calls, those with most samples first; only if options ask for inlined calls.
    std::map<uint32_t, std::vector<InlinedCall>> calls = {};
    // Only if options ask for inclusive counts:
    /// The samples of which any frame is in the file, and in each of its lines: the line of the instruction,
    /// those of the calls it was inlined through, and the same of every caller on the stack. A line that is
    /// in several frames of a sample counts once.
    Counts inclusive_total = {};
    std::map<uint32_t, Counts> inclusive = {};
    SourceOrigin origin = SourceOrigin::own;
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
    Counts totals;  ///< of all wanted symbols: the base of shares
    std::vector<AnnotatedFile>
        files;                        ///< by highest share of any column, falling; inclusive: by origin first
    std::vector<AnnotatedCode> code;  ///< by image, then samples, falling
    bool has_lines = false;           ///< some sample has a source line, whatever the threshold
    bool is_inclusive = false;        ///< files have inclusive counts, too

    /// True for a file that is of less interest than others: with inclusive counts these have its samples at
    /// the lines that lead to it.
    bool is_aside(const AnnotatedFile& file) const {
        return is_inclusive && !files.empty() && file.origin != files.front().origin;
    }
};

/// A file's inclusive counts, else its own.
const Counts& leading_total(const Annotation& annotation, const AnnotatedFile& file);

/// The highest of the columns' shares, in percent.
double highest_share(const Counts& counts, const Counts& totals);

/// Sums the samples of the symbols that `options` ask for. Files and symbols with a share below
/// options.threshold in every column are left out.
Annotation annotate(const Profile& profile, ReportHead head, const ReportOptions& options);

}  // namespace op::pp
