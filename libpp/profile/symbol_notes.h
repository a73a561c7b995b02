// SPDX-License-Identifier: GPL-2.0-or-later
// What a reader should know about names that are missing from a report.
#pragma once

#include <functional>
#include <span>

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

/// One note for every image with at least a hundredth of the samples whose names (with `wants_lines` also:
/// whose lines) are missing, with its share, the reason and what helps; one for all smaller ones together.
/// The largest share first. Shares are those of all the profiles together. Images that the question is not
/// about are passed over, and those that were replaced: of these there is another note.
void note_missing_symbols(std::span<const SymbolizedProfile> profiles, bool wants_lines, Diagnostics& notes,
                          const ConcernsImage& concerns = nullptr);

}  // namespace op::pp
