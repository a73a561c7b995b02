// SPDX-License-Identifier: GPL-2.0-or-later
// Small files of /proc and /sys. They come and go with processes and with the kernel's configuration, so that
// one that cannot be read is no fault.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace op {

/// The whole file; empty if it cannot be read, for whatever reason.
std::string read_kernel_file(const std::string& path);
/// Its first line, without the newline; empty as above.
std::string read_kernel_line(const std::string& path);
/// Where a symbolic link leads, up to 4096 bytes of it; empty as above.
std::string read_kernel_link(const std::string& path);
/// "/proc/NUMBER/FILE" of a process.
std::string proc_path(uint64_t number, std::string_view file);

}  // namespace op
