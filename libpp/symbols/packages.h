// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the distribution's package of a file in dpkg's database. Runs no program and writes nothing. The
// databases of other package managers cannot be read without their libraries, so they are not supported.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

namespace op::pp {

/// The packages that installed these files, by path; without those that no package installed. Reads the lists
/// below ROOT/var/lib/dpkg/info once, at most ten million lines; `root` is empty for this machine. A path is
/// the same with and without a leading /usr, as systems have it where /bin and /lib are links. Nothing is
/// found where there is no database; a list that cannot be read is passed over.
std::map<std::string, std::string> owning_packages(const std::string& root,
                                                   std::span<const std::string> paths);

/// What the package with the debug symbols of `package` is called: the name with -dbgsym, but -dbg for those
/// that Debian builds by hand (the C library, kernels).
std::string debug_package(std::string_view package);

}  // namespace op::pp
