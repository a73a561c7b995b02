// SPDX-License-Identifier: GPL-2.0-or-later
// The profile: symbolised samples in full precision, which reports and exporters read. Holds flat profiles
// and call stacks alike; a flat profile is one whose stacks have one frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "libop/base/address.h"
#include "libop/session/sample_path.h"
#include "libpp/profile/arrange.h"
#include "libpp/profile/sample_set.h"
#include "libpp/profile/stack_tree.h"
#include "libpp/symbols/symbolizer.h"

namespace op::pp {

/// An image that has samples or is an application.
struct ProfileImage {
    ImageName name;
    ImageSymbols* symbols;     ///< null if no sample is in it; owned by the Symbolizer
    bool is_replaced = false;  ///< its path leads to a file that is not the profiled one
};

/// A symbol that has samples.
struct ProfileSymbol {
    uint32_t image;             ///< index into Profile::images
    const ImageSymbol* symbol;  ///< owned by the image's ImageSymbols or the profile
    bool is_inlined = false;    ///< a function without code of its own: all its samples were inlined
};

/// An address that has samples.
struct Location {
    static constexpr uint32_t no_symbol = std::numeric_limits<uint32_t>::max();

    uint32_t image;      ///< index into Profile::images
    uint32_t symbol;     ///< index into Profile::symbols, or no_symbol
    ImageOffset offset;  ///< in the image
    /// The code at `offset` was inlined from `symbol`, whose own code lies elsewhere or nowhere.
    bool is_inlined = false;
};

/// The kind of an address in a stack: the sampled address, or the return address of a call.
enum class CodeAddress : uint8_t { instruction, return_address };

/// The byte that gives an address its symbol, line and inlined functions. For a return address it is the byte
/// before: a call that never returns may be the last instruction of its function, and its return address
/// belongs to the next one.
constexpr ImageOffset code_byte(ImageOffset offset, CodeAddress kind) {
    const bool is_behind = kind == CodeAddress::return_address && offset > ImageOffset{0};
    return is_behind ? offset - 1 : offset;
}

/// Samples of one application with the same stack.
struct StackSamples {
    uint32_t app;          ///< index into Profile::images
    uint32_t first_frame;  ///< index into Profile::frames
    uint32_t frames;       ///< at least 1
};

/// How often a call was on the stack of a sample: a pair of locations, of one application each (they differ
/// only where every image counts as its own).
struct Arc {
    uint32_t caller_app, callee_app;  ///< indexes into Profile::images
    uint32_t caller, callee;          ///< indexes into Profile::locations; the caller's is its return address
};

/// The rows of reports where those of several files of one path are joined (libpp/profile/join_builds.h).
struct JoinedRows {
    std::vector<uint32_t> images;         ///< for each image the one that has its rows
    std::vector<uint32_t> symbols;        ///< for each symbol the first one of its row
    std::vector<uint32_t> symbol_images;  ///< for each symbol the image of its row
};

/// Symbolised samples. Plain data; valid as long as the Symbolizer it was built with.
struct Profile {
    Axis axis = Axis::event;
    std::vector<ProfileClass> columns;  ///< at least one
    std::vector<ProfileImage> images;
    std::vector<ProfileSymbol> symbols;
    std::vector<Location> locations;
    std::vector<uint32_t> frames;  ///< indexes into locations; a stack begins with the sampled address
    std::vector<StackSamples> samples;
    std::vector<uint64_t> counts;  ///< one per sample and column, sample by sample
    std::vector<Arc> arcs;
    std::vector<uint64_t> arc_counts;  ///< one per arc and column, arc by arc
    StackTree stacks = {};  ///< all samples again, with their callers; empty = not recorded or not wanted
    /// Symbols of functions without code of their own, see libpp/profile/split_inlines.h. They begin at their
    /// first sampled instruction.
    std::vector<std::shared_ptr<const ImageSymbol>> inlined;
    JoinedRows joined = {};  ///< empty lists = every image and symbol has rows of its own

    /// The image that has the rows of an image.
    uint32_t row_image(uint32_t image) const { return joined.images.empty() ? image : joined.images[image]; }

    /// The count of a sample in a column.
    uint64_t count(size_t sample, size_t column) const { return counts[sample * columns.size() + column]; }
    /// The sampled address of a sample.
    const Location& leaf(size_t sample) const { return locations[frames[samples[sample].first_frame]]; }

    /// Throws an internal error unless: there is a column; every index is in range; every symbol lies in an
    /// image with symbols; a location's symbol is of its image and, unless inlined, holds its offset (or, of
    /// a caller, the byte before it); every stack has a frame and lies within frames; there is one count per
    /// sample or arc and column, and no sample or arc without any; rows are joined of all images and symbols
    /// or of none; the stacks are a tree as StackTree has it.
    void check() const;
};

/// True if the symbol is the image itself, of which no symbol is known.
bool is_whole_image(const Profile& profile, const ProfileSymbol& symbol);

/// True if the image is the kernel or a module of it. Sessions name them by a path, too: that of the list of
/// its symbols, or of the file that the user named; modules, and a kernel that has no file, have a bare name.
bool is_kernel_image(const ImageName& image);

/// The samples of each image of a profile, over all columns; with `counts`, only where it returns true.
using CountsLocation = std::function<bool(const Location&)>;
std::vector<uint64_t> samples_by_image(const Profile& profile, const CountsLocation& counts = nullptr);

/// The application of each node of a profile's stacks, an index into Profile::images: of a node below none
/// the image of its code, or no_application.
inline constexpr uint32_t no_application = std::numeric_limits<uint32_t>::max();
std::vector<uint32_t> stack_applications(const Profile& profile);

/// The kind of the address of a node in code.
constexpr CodeAddress address_kind(const StackNode& node) {
    return node.kind == StackNodeKind::call ? CodeAddress::return_address : CodeAddress::instruction;
}

/// Called with the number of images that are done.
using Progress = std::function<void(size_t done, size_t all)>;

/// Builds the profile of all samples and arcs: locations of samples sorted by image, then offset; each image
/// opened once.
/// Throws an input error if files of one image in one column disagree on the image's mtime or on whether it
/// is the kernel.
Profile build_profile(const ProfileClasses& classes, SampleSet& samples, Symbolizer& symbolizer,
                      const Progress& progress = nullptr);

}  // namespace op::pp
