// SPDX-License-Identifier: GPL-2.0-or-later
// From (image, offset) to symbol and source line. Owns one symbol table per image; opens each image once.
// Does not print and does not know samples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libop/base/address.h"
#include "libop/base/diagnostics.h"
#include "libop/session/sample_path.h"
#include "libop/session/session_info.h"
#include "libpp/object/demangle.h"
#include "libpp/object/source_line.h"
#include "libpp/symbols/image_finder.h"

namespace op::pp {

/// A symbol as a range of its image. Ranges of one image do not overlap.
struct ImageSymbol {
    ImageOffset start;         ///< first byte
    uint64_t length;           ///< bytes up to the next symbol or the section's end, never 0
    LinkAddress address;       ///< of `start` in the image as linked (for the kernel: run-time address)
    std::string_view name;     ///< mangled; valid as long as the ImageSymbols
    bool artificial;           ///< covers a whole image or range without a symbol of its own
    bool is_nameless = false;  ///< `name` is its address in brackets
};

/// The debug information about an image's instructions. Every function may read the debug file on first
/// use.
class ImageLines {
public:
    virtual ~ImageLines() = default;
    /// True if there is debug information to take lines from.
    virtual bool has_lines() = 0;
    /// Source line of the instruction at an offset; none without debug information.
    virtual std::optional<SourceLine> line(ImageOffset offset) = 0;
    /// Where the source declares a function that an instruction is of: the one of that linkage name, else the
    /// symbol's own. None if the debug information has no such function. Reads as frames() does.
    virtual std::optional<SourceLine> declaration(ImageOffset, std::string_view /*function*/) {
        return std::nullopt;
    }
    /// The functions at an instruction: the innermost inlined one first, the symbol's own function last. At
    /// least one if the offset has debug information, otherwise none. Names are valid as long as this
    /// object. Reads the functions of a compilation unit on first use.
    virtual std::vector<InlineFrame> frames(ImageOffset offset) = 0;
    /// The names of the functions inlined at an instruction, innermost first, at most `most`. Nameless
    /// functions and the symbol's own are left out. Unlike frames(), reads no lines.
    virtual std::vector<std::string_view> inlined_functions(ImageOffset offset, size_t most) = 0;
};

/// The symbols of one image.
class ImageSymbols {
public:
    virtual ~ImageSymbols() = default;
    /// All symbols, sorted by start.
    virtual std::span<const ImageSymbol> symbols() const = 0;
    /// True if names come from a symbol table (not artificial, not frame ranges).
    virtual bool has_symbols() const = 0;
    /// The symbol's name in the wanted form; valid as long as this object. Demangles once per (symbol, mode).
    virtual std::string_view name(const ImageSymbol& symbol, Demangle mode) = 0;
    /// The symbol's bytes in its image; empty if the image is not at hand. Valid as long as this object. May
    /// read the file on first use.
    virtual std::span<const std::byte> code(const ImageSymbol& symbol) = 0;
    /// The image's debug information; valid as long as this object.
    virtual ImageLines& lines() = 0;

    // The same as those of lines():
    bool has_lines() { return lines().has_lines(); }
    std::optional<SourceLine> line(ImageOffset offset) { return lines().line(offset); }
    std::optional<SourceLine> declaration(ImageOffset offset, std::string_view function) {
        return lines().declaration(offset, function);
    }
    std::vector<InlineFrame> frames(ImageOffset offset) { return lines().frames(offset); }
    std::vector<std::string_view> inlined_functions(ImageOffset offset, size_t most) {
        return lines().inlined_functions(offset, most);
    }

    /// The line of a function: where the source declares it, else the line of its first instruction.
    std::optional<SourceLine> line_of(const ImageSymbol& symbol) {
        const auto declared = symbol.artificial ? std::nullopt : declaration(symbol.start, symbol.name);
        return declared ? declared : line(symbol.start);
    }

    /// The symbol whose range holds `offset`, or null.
    const ImageSymbol* find(ImageOffset offset) const;
    /// The linked address of an offset: by its symbol, else the offset itself.
    LinkAddress link_address(ImageOffset offset) const;
    /// How far the linked address of an offset lies above it: bytes, modulo 2^64.
    uint64_t displacement(ImageOffset offset) const;
};

/// The reason why names of an image are missing or imprecise.
struct Shortcoming {
    /// The end of a sentence that begins with the image ("is not found; ..."); empty if nothing is missing.
    std::string text;
    /// If debug symbols would help: how to get them when their package is unknown. Not part of
    /// `text`.
    std::string debug_symbols = {};
};

/// A source of files that are not on this machine, by build-id (lower-case hex).
class BuildIdSource {
public:
    virtual ~BuildIdSource() = default;
    /// A local copy of the executable or library; none if the source cannot get it, which it reports.
    virtual std::optional<std::string> executable(const std::string& build_id) = 0;
    /// A local copy of its debug file; likewise.
    virtual std::optional<std::string> debug_file(const std::string& build_id) = 0;
};

class RunTimeCode;

/// The sources of the symbolizer besides the files on disk.
struct SymbolizerOptions {
    std::string vmlinux;                   ///< kernel image given by the user; empty = none
    BuildIdSource* by_build_id = nullptr;  ///< asked for files that this machine lacks; null = no source
    bool trusts_paths = false;             ///< a file's symbols are used even if it is of another build
    const RunTimeCode* run_time_code = nullptr;  ///< null = none is known
};

/// Finds and keeps symbol tables.
class Symbolizer {
public:
    /// `finder` maps recorded paths to files of this machine. `info` (may be null) gives build-ids, recorded
    /// kernel images and whether files were deleted; `kallsyms` is the snapshot's text (may be empty). All
    /// must outlive the symbolizer. Notes about images that may be wrong go to `notes`, each once; what is
    /// merely missing is reported by shortcoming().
    Symbolizer(const ImageFinder& finder, const SessionInfo* info, std::string_view kallsyms,
               const SymbolizerOptions& options, Diagnostics& notes);
    ~Symbolizer();

    /// The symbols of an image; the reference is valid as long as the symbolizer. Never fails: an image that
    /// cannot be read has one artificial symbol, named like the image (the kernel and modules with a '/'
    /// before it, as reports have always shown them), that covers everything. `mtime` is the one in the
    /// sample file header (0 = unknown). The symbols of a file of another build are not used, nor any if
    /// several builds were profiled, unless paths are trusted. Where a build-id is unknown, the modification
    /// times decide; where these are unknown, too, the file is used, and one note reports that it is the
    /// first such file. `is_kernel`: the offsets count from .text, as for a kernel or module.
    ImageSymbols& symbols(const ImageName& image, uint64_t mtime, bool is_kernel = false);

    /// The shortcoming of an image's names; nothing if symbols() was not called for it, or if its file is not
    /// the profiled one: symbols installed for that file would be the wrong ones.
    Shortcoming shortcoming(const ImageName& image) const;

    /// True if the names come from a file other than the profiled one; a note reports that.
    bool is_replaced(const ImageName& image) const;

    /// True if the sessions recorded one build-id of the image: then its files' modification times do not
    /// matter.
    bool is_one_build(const ImageName& image) const;

    /// The image that anonymous memory is part of, and its first offset there: itself and 0, unless it has
    /// code that was made at run time and is known.
    std::pair<ImageName, uint64_t> place(const ImageName& region) const;

    /// The file that an image's names were read from; empty if no file was found or opened.
    std::string_view file(const ImageName& image) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace op::pp
