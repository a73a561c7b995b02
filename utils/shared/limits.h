// SPDX-License-Identifier: GPL-2.0-or-later
// Limits of the sandbox on memory and core files.
#pragma once

#include <cstdint>
#include <string>

namespace op::tool {

/// Bytes of memory that a process in the sandbox may have on a machine with `physical` bytes: half of them,
/// at least 4 GiB and at most 64 GiB.
uint64_t memory_limit(uint64_t physical) noexcept;

/// Limits this process to the memory_limit() of this machine, for good; files that are mapped for reading do
/// not count. Returns the errno value of what failed, 0 if nothing did.
int limit_memory() noexcept;

/// From now on this process leaves no core file. Returns like limit_memory().
int limit_core_files() noexcept;

/// What to print where memory ran out: "out of memory", and the limit if this process is in the sandbox.
std::string out_of_memory_text();

}  // namespace op::tool
