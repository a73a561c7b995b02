// SPDX-License-Identifier: GPL-2.0-or-later
// Where a distribution has the debug symbols of its packages.
#pragma once

#include <string>

namespace op::pp {

/// Empty members are not known.
struct Distribution {
    std::string
        debug_archive;  ///< of packages -dbgsym, for people: "archive debian-debug, suite bookworm-debug"
    std::string debuginfod;  ///< URL of its server

    bool operator==(const Distribution&) const = default;
};

/// By ID and VERSION_CODENAME of ROOT/etc/os-release, else of ROOT/usr/lib/os-release (os-release(5)); `root`
/// is empty for this machine. Only regular files below 64 KiB are read.
Distribution find_distribution(const std::string& root);

}  // namespace op::pp
