// SPDX-License-Identifier: GPL-2.0-or-later
// Code made at run time: one image for all anonymous memory of a process, with the symbols of its TGID.jo.
// Its offsets are run-time addresses with their generation.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "libop/base/diagnostics.h"
#include "libop/jit/jo_file.h"
#include "libop/session/sample_path.h"
#include "libop/session/session.h"
#include "libpp/symbols/symbolizer.h"

namespace op::pp {

/// The image that a region belongs to, and its first offset there.
struct PlacedRegion {
    ImageName image;
    uint64_t first_offset = 0;
};

/// The address of a symbol for people: without its generation, unless the image has a symbol of another
/// generation there.
LinkAddress shown_address(const ImageSymbols& symbols, const ImageSymbol& symbol);

/// The processes with symbols of run-time code.
class RunTimeCode {
public:
    /// Adds what `session` has for the processes `tgids`, of any application. Several captures of one number
    /// are joined, see joined_code(). A file that cannot be read is a warning.
    void add(const SessionReader& session, const std::set<uint32_t>& tgids, Diagnostics& notes);

    bool is_empty() const noexcept { return processes_.empty(); }
    /// The image of a region: "[jit] TGID", or "TGID.jo" if its symbols are of OProfile. None if nothing is
    /// known of its process, or if `region` is something else.
    std::optional<PlacedRegion> place(const ImageName& region) const;
    /// The symbols of an image that place() returned, and artificial ones with its name between them; null
    /// for others.
    std::unique_ptr<ImageSymbols> open(const ImageName& image) const;
    /// The files that were read: indexes of the calls of add(), paths below the session.
    const std::vector<std::pair<size_t, std::string>>& files() const noexcept { return files_; }
    /// The file with the code of such an image; empty for others.
    std::string file(const ImageName& image) const;

    /// The image that has the rows of all processes' run-time code where processes are merged.
    static ImageName merged_image(const ImageName& image);

private:
    struct Process {
        JoFile file;
        std::string path;  ///< of the last file read
    };

    void add(std::string path, uint32_t tgid, JoFile file);
    static ImageName name_of(uint32_t tgid, const Process& process);

    std::map<uint32_t, Process> processes_;
    std::map<ImageName, uint32_t> tgids_;
    std::vector<std::pair<size_t, std::string>> files_;
    size_t sessions_ = 0;
};

}  // namespace op::pp
