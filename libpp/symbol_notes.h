// SPDX-License-Identifier: GPL-2.0-or-later
// What a reader should know about names that are missing from a report.
#pragma once

#include <span>

#include "libop/diagnostics.h"
#include "libpp/profile.h"
#include "libpp/symbolizer.h"

namespace op::pp {

/// A profile and the symbolizer it was built with.
struct SymbolizedProfile {
    const Profile* profile;
    const Symbolizer* symbolizer;
};

/// One note for every image with at least a hundredth of the samples whose names (with `wants_lines` also:
/// whose lines) are missing, with its share, the reason and what helps; one for all smaller ones together.
/// The largest share first. Shares are those of all the profiles together.
void note_missing_symbols(std::span<const SymbolizedProfile> profiles, bool wants_lines, Diagnostics& notes);

}  // namespace op::pp
