// SPDX-License-Identifier: GPL-2.0-or-later
// The options by which the verbs of opfleet choose samples.
#pragma once

#include <string>
#include <vector>

#include "fleet/selection.h"
#include "utils/shared/options.h"

namespace op::tool {

/// Days, events, programs, images, hosts and releases.
struct SelectionOptions {
    std::string day, from, until, event;
    std::vector<std::string> apps, images, hosts, releases;

    /// Rows for CommandSyntax; they point into this object.
    std::vector<Option> table();
    /// The rows of days and hosts alone.
    std::vector<Option> slice_table();
    /// Throws a usage error if a day does not exist, or --day is given with --from or --until.
    fleet::Selection selection() const;
};

/// The day that an option has. Throws a usage error.
fleet::Day day_of_option(const char* option, const std::string& text);

}  // namespace op::tool
