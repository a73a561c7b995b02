// SPDX-License-Identifier: GPL-2.0-or-later
// The Debian package that a file of this machine came with, by dpkg's database (dpkg(1), FILES). Runs no
// program. A path alone proves nothing, as files are diverted, replaced and rebuilt in place: the file has
// to have the content that dpkg noted when it installed the package.
#pragma once

#include <optional>
#include <string>

#include "libop/base/fd.h"
#include "libop/base/package_note.h"

namespace op::fleet {

/// The package, with its version, that has a file of this content at `path`, which is below `root` ("" = this
/// machine's). None without a database, for a file of no package or of one that is not installed, and where
/// dpkg noted another content of it or none. Reads ROOT/var/lib/dpkg/info/*.list as pp::owning_packages(),
/// the owner's .md5sums, and ROOT/var/lib/dpkg/status.
std::optional<Package> dpkg_package(const std::string& root, const std::string& path, const Fd& file);

}  // namespace op::fleet
