// SPDX-License-Identifier: GPL-2.0-or-later
// Notes on names that are missing from a report.
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

/// True for an image that the notes should cover.
using ConcernsImage = std::function<bool(const ImageName&)>;

/// Options of the notes.
struct MissingNames {
    bool wants_lines = false;          ///< images without source lines, too
    ConcernsImage concerns = nullptr;  ///< other images are passed over; null = none is
    std::string package_root;          ///< where packages are looked up, see owning_packages()
    size_t most = SIZE_MAX;            ///< images with a note of their own
};

/// Adds a note for each image without names (or lines) that has at least 1 % of the samples, those with most
/// of them if there are more than wanted: its share, the reason and the remedy, with the name of the package
/// of its debug symbols if dpkg installed the image. All others share one note. The largest share is first.
/// Shares are relative to all profiles together. Replaced images are left out: they have a note of their own.
/// One more note states how programs would name the code that they made, if it has no names and as many
/// samples.
void note_missing_symbols(std::span<const SymbolizedProfile> profiles, const MissingNames& missing,
                          Diagnostics& notes);

/// Adds a note for each image with samples outside its symbols, for reports that show symbols only.
void note_samples_in_no_symbol(const Profile& profile, Diagnostics& notes);

}  // namespace op::pp
