// SPDX-License-Identifier: GPL-2.0-or-later
// The driver's kernel module: finding, loading and unloading it, and mounting its files. No shell and no
// other program takes part.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "utils/opcontrol/control_paths.h"

namespace op::tool {

/// Loads the driver if it is not there and mounts its files: afterwards they are there, or the reason why not
/// is returned, in one line that ends with the remedy. `module_file` is loaded instead of the kernel's own
/// module if it is not empty. In a test tree nothing is loaded or mounted.
std::optional<std::string> bring_up_driver(const ControlPaths& paths, const std::string& module_file);

/// Unmounts the driver's files, removes the empty directory and unloads it, as far as they are there. Throws
/// a system error, which says who may be using it.
void take_down_driver(const ControlPaths& paths);

/// The file to load for a kernel whose modules lie below that directory: oprofile.ko, perhaps compressed
/// (.xz, .zst, .gz), in updates/, extra/, misc/ or kernel/, in that order. None if there is none.
std::optional<std::string> find_driver_module(const std::string& modules_dir);

/// What a file is as a module.
enum class ModuleFile {
    none,
    plain,       ///< a relocatable ELF file
    compressed,  ///< by gzip, xz or zstd, whatever is in it
};
/// The kind by the file's first bytes, 18 or more of them if it has as many.
ModuleFile module_file_kind(std::string_view head);

/// What it means that the kernel refused to load a module with that errno value, and what to do.
std::string load_refusal(int error);

}  // namespace op::tool
