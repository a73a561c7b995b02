// SPDX-License-Identifier: GPL-2.0-or-later
// Finds, loads and unloads the driver's kernel module and mounts its files. Runs no shell and no other
// program.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "utils/opcontrol/control_paths.h"

namespace op::tool {

/// What the driver is to be.
struct DriverWish {
    std::string module_file;  ///< the file to load; empty: the kernel's own module
    std::string model;        ///< by which it counts; empty: what it chooses itself
};

/// True if the driver is in the kernel, whether its files are mounted or not.
bool is_driver_loaded(const ControlPaths& paths);

/// Loads the driver if it is not loaded and mounts its files. Returns none on success, else the reason in one
/// line that ends with the remedy. In a test tree nothing is loaded or mounted.
std::optional<std::string> bring_up_driver(const ControlPaths& paths, const DriverWish& wish);

/// Unmounts the driver's files, removes the empty directory and unloads the driver, as far as they exist.
/// Throws a system error, which names the possible users of the driver.
void take_down_driver(const ControlPaths& paths);

/// The file to load for a kernel whose modules lie below that directory: oprofile.ko, perhaps compressed
/// (.xz, .zst, .gz), in updates/, extra/, misc/ or kernel/, in that order; none if it is not found.
std::optional<std::string> find_driver_module(const std::string& modules_dir);

/// True if the kernel has that file system now, by the text of /proc/filesystems.
bool has_file_system(std::string_view file_systems, std::string_view name);

/// The kind of a module's file.
enum class ModuleFile {
    none,
    plain,       ///< a relocatable ELF file
    compressed,  ///< by gzip, xz or zstd; the content is not checked
};
/// The kind of a file by its first bytes, at least 18 unless the file is shorter.
ModuleFile module_file_kind(std::string_view head);

/// The reason why the kernel refused to load a module with that errno value, and the remedy.
std::string load_refusal(int error);

}  // namespace op::tool
