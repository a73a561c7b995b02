// SPDX-License-Identifier: GPL-2.0-or-later
// What a reader should know about names that are missing from a report.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "libop/base/diagnostics.h"
#include "libpp/profile/profile.h"
#include "libpp/symbols/symbolizer.h"

namespace op::pp {

/// A profile and the symbolizer it was built with.
struct SymbolizedProfile {
    const Profile* profile;
    const Symbolizer* symbolizer;
};

/// True for an image that the question is about.
using ConcernsImage = std::function<bool(const ImageName&)>;

/// What to report.
struct MissingNames {
    bool wants_lines = false;          ///< images without source lines, too
    ConcernsImage concerns = nullptr;  ///< other images are passed over; null = none is
    std::string package_root;          ///< where packages are looked up, see owning_packages()
};

/// One note for every image with at least a hundredth of the samples whose names (or lines) are missing, with
/// its share, the reason and what helps, by the name of the package with its debug symbols if dpkg installed
/// it; one for all smaller ones together. The largest share first. Shares are those of all the profiles
/// together. Images that were replaced are passed over: of these there is another note.
void note_missing_symbols(std::span<const SymbolizedProfile> profiles, const MissingNames& missing,
                          Diagnostics& notes);

/// One note for every image with samples outside of its symbols, for what shows only those within.
void note_samples_in_no_symbol(const Profile& profile, Diagnostics& notes);

}  // namespace op::pp
