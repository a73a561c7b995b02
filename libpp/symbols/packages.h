// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the distribution's package of a file in dpkg's database. Runs no program and writes nothing. The
// databases of other package managers cannot be read without their libraries, so they are not supported.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

namespace op::pp {

/// The packages that installed these files, by path; files without a package are left out. Reads the lists
/// below ROOT/var/lib/dpkg/info once, at most ten million lines, 16 MiB of a list and 256 MiB in total;
/// `root` is empty for this machine. Ignores a leading /usr of paths, since /bin and /lib are links on many
/// systems. Returns nothing without a database; lists that are no regular files or unreadable are skipped.
std::map<std::string, std::string> owning_packages(const std::string& root,
                                                   std::span<const std::string> paths);

/// False if Debian builds the package with the debug symbols of `package` by hand (the C library, kernels):
/// then it is beside the others, not in the archive of debug packages.
bool is_in_debug_archive(std::string_view package);

/// The name of that package: with -dbgsym, or -dbg if it is built by hand.
std::string debug_package(std::string_view package);

}  // namespace op::pp
