// SPDX-License-Identifier: GPL-2.0-or-later
// The place of the files that describe the processor, its PMUs and the kernel's settings. Tests replace them
// by the directory of a made-up machine (doc/HACKING.md, "Made-up machines").
#pragma once

#include <optional>
#include <string>

namespace op {

/// The environment variable that names the directory of a made-up machine.
inline constexpr const char* machine_variable = "OPROFILE_MACHINE_DIR";

/// The directory of the made-up machine; none on the machine itself. A program that has more rights than the
/// user who started it (secure_getenv(3)) ignores the variable.
std::optional<std::string> made_up_machine();

/// The path to read for the machine's file `path`, such as "/proc/cpuinfo": the same, or one below the
/// made-up machine. Such files are never written.
std::string machine_path(const std::string& path);

}  // namespace op
