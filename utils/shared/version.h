// SPDX-License-Identifier: GPL-2.0-or-later
// Version of the commands and, for bug reports, of what they run on.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace op::tool {

/// "<name>: oprofile-ng <version>\n": the package's name is the second word and begins with "oprofile", as
/// scripts expect. No build date, so that builds are reproducible.
std::string version_text(std::string_view name);

/// True if --version (-v) and --verbose (-V, --verbose=LIST) are both among the arguments, before the first
/// that is no option.
bool wants_version_details(std::span<const char* const> arguments);

/// How far the driver is there.
enum class DriverState {
    not_loaded,
    another,      ///< a module of that name which is not this driver
    not_mounted,  ///< loaded, without its files
    not_readable,
    readable,
};
/// The state by the errno value of opening the driver's file stream_version, 0 if that succeeds, and the
/// directory of its loaded module. Linux before 5.12 has a driver of the same name without this
/// one's parameter `model`.
DriverState driver_state(int open_error, const std::string& module);

/// What a bug report needs of a machine.
struct MachineVersions {
    std::string kernel;                   ///< "Linux 6.1.0 x86_64"
    std::string paranoid, kptr_restrict;  ///< as the kernel has them; empty = not known
    DriverState driver = DriverState::not_loaded;
    std::string stream_version;          ///< the driver's, if it is readable
    std::vector<std::string> libraries;  ///< files of the shared libraries in use, sorted
};

/// Those of the running machine and process. What cannot be read is left empty.
MachineVersions running_versions();

/// version_text() and a line for each of them: compiler, kernel, settings, driver, libraries.
std::string version_details(std::string_view name, const MachineVersions& versions);

}  // namespace op::tool
