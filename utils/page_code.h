// SPDX-License-Identifier: GPL-2.0-or-later
// The source and the instructions of the hot functions of a profile, or of two, for its page.
#pragma once

#include <vector>

#include "libpp/page/write_page.h"
#include "utils/load_profile.h"

namespace op::tool {

/// The default share of the samples, in percent, from which on a function's code is in the page.
inline constexpr double page_code_share = 0.5;

struct PageCodeOptions {
    double share = page_code_share;
    pp::Demangle demangle = pp::Demangle::normal;
};

/// The code of the functions with at least that share of the samples of an event, as far as sources and
/// binaries are at hand: of a source the function's lines and those near samples, of a long function the
/// instructions near samples. Of two profiles that are compared, a function that has the share in either has
/// its code of each in which it has samples. Counts are those of the events in the order of the first
/// profile's columns. What cannot be read is left out; a source that not everybody may read only if its name
/// may be a stranger's choice, which a note reports.
std::vector<pp::PageCode> page_code(const std::vector<LoadedProfile*>& loaded,
                                    const PageCodeOptions& options);

}  // namespace op::tool
