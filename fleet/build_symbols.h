// SPDX-License-Identifier: GPL-2.0-or-later
// The symbols of one build, as the fleet's tables have them. Reads files of this machine; asks no server of
// the fleet. Only what belongs to the very build is used.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libop/base/diagnostics.h"
#include "libop/base/package_note.h"
#include "libop/session/session_info.h"
#include "libpp/symbols/image_finder.h"
#include "libpp/symbols/symbolizer.h"

namespace op::fleet {

/// How good names are; better ones replace worse.
enum class SymbolQuality : uint8_t {
    none = 0,
    bounds = 1,    ///< where functions begin, without names
    exported = 2,  ///< .dynsym
    table = 3,     ///< .symtab, or an equivalent list
    debug = 4,     ///< with source lines and inlined functions
};

/// A build whose symbols are wanted.
struct WantedBuild {
    std::string build_id;            ///< lower-case hex
    std::vector<std::string> paths;  ///< where hosts have it; of a module its bare name
    bool is_kernel = false;          ///< the kernel or a module
    std::string file;                ///< the file that the user named for it; empty = none
    std::vector<uint64_t> places;    ///< whose functions and lines are wanted: keys of sample files
    bool lacks_package = false;      ///< its package is wanted, too
};

struct BuildFunction {
    uint64_t first = 0, last = 0;  ///< places
    std::string name, linkage;     ///< demangled, and as in the symbol table
    std::string file;              ///< where it begins, of one with a wanted place; empty = not known
    uint32_t line = 0;

    bool operator==(const BuildFunction&) const = default;
};

struct BuildLocation {
    uint64_t place = 0;
    uint64_t first = 0;  ///< of its function
    std::string name;    ///< of its function; empty = it is in none
    std::string file;    ///< in its function: of the instruction, or of the call that was inlined there
    uint32_t line = 0;
    std::vector<std::string> inlined;  ///< "FUNCTION\tFILE:LINE", outermost first

    bool operator==(const BuildLocation&) const = default;
};

/// What is known of a build.
struct BuildSymbols {
    SymbolQuality quality = SymbolQuality::none;
    std::string reason;  ///< why it is not better; the end of a sentence that begins with the image
    std::string file;    ///< that the names came from; empty = none
    std::vector<BuildFunction> functions;  ///< sorted by first; they do not overlap
    std::vector<BuildLocation> locations;  ///< of the wanted places, in their order
    std::optional<Package> package;  ///< that the build came with, if it was wanted; never of the kernel

    bool operator==(const BuildSymbols&) const = default;
};

/// The kernel that runs here, whose symbols are in memory only.
struct RunningKernel {
    SessionInfo info;      ///< its images, with build-ids and where they begin
    std::string kallsyms;  ///< empty = hidden

    /// Of this machine. Without the right to read addresses it has no symbols.
    static RunningKernel read();
};

/// Where symbols are read from.
struct SymbolSources {
    pp::ImageSearch search;                    ///< other roots and directories than this machine's own
    pp::BuildIdSource* by_build_id = nullptr;  ///< null = none
    const RunningKernel* kernel = nullptr;     ///< null = not known
};

/// Files that this machine keeps by build-id, below /usr/lib/debug/.build-id and /usr/lib/.build-id, then
/// those of another source.
class LocalBuildIds final : public pp::BuildIdSource {
public:
    /// `root` is "" for this machine's. `next` may be null, and must outlive the object.
    LocalBuildIds(std::string root, pp::BuildIdSource* next) : root_(std::move(root)), next_(next) {}

    std::optional<std::string> executable(const std::string& build_id) override;
    std::optional<std::string> debug_file(const std::string& build_id) override;

private:
    std::string root_;
    pp::BuildIdSource* next_;
};

/// Reads the symbols of a build. Never fails: the reason is in the result. Doubts become notes.
BuildSymbols read_build_symbols(const WantedBuild& wanted, const SymbolSources& sources, Diagnostics& notes);

/// The result as text, and back, for a process that reads files for another one. parse_build_symbols() throws
/// an input error that begins with `label` if it is not such a text.
std::string build_symbols_text(const BuildSymbols& symbols);
BuildSymbols parse_build_symbols(std::string_view text, std::string_view label);
/// The same for what is wanted.
std::string wanted_build_text(const WantedBuild& wanted);
WantedBuild parse_wanted_build(std::string_view text, std::string_view label);

}  // namespace op::fleet
