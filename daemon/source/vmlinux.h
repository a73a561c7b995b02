// SPDX-License-Identifier: GPL-2.0-or-later
// The kernel image that the user named with --vmlinux: checks that it is one and the running kernel's, and
// finds its code.
#pragma once

#include <string>

#include "daemon/source/kernel_map.h"
#include "libop/base/diagnostics.h"

namespace op::collect {

/// Reads the image at `path`. Throws a system error if it cannot be read and a usage error if it is not an
/// uncompressed kernel image with symbols. If its build-id is not `running_build_id` (lower-case hex; empty =
/// unknown), adds a warning and returns no range.
NamedKernel read_vmlinux(const std::string& path, const std::string& running_build_id, Diagnostics& notes);

/// The build-id of the running kernel as lower-case hex; empty if the kernel does not report it.
std::string running_kernel_build_id();

}  // namespace op::collect
