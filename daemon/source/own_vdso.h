// SPDX-License-Identifier: GPL-2.0-or-later
// The virtual library (vDSO) that the kernel maps into every process: all 64-bit ones have the same, so this
// process's is that of the others. See vdso(7).
#pragma once

#include <cstdint>
#include <string>

#include "libop/base/fd.h"

namespace op::collect {

/// What mappings and recordings call it.
inline constexpr const char* vdso_label = "[vdso]";
/// In sessions, that of a process which is not known to have this process's word size.
inline constexpr const char* other_vdso_label = "[vdso32]";

/// True if a process with its library at that run-time address has another word size.
bool is_other_vdso(uint64_t start) noexcept;
/// A copy of the library in memory, as an ELF file; empty if this process has none.
Fd own_vdso();
/// Bytes that the kernel maps of it, as /proc/self/maps has them; 0 if this process has none. Read once.
/// Thread-safe.
uint64_t own_vdso_length();
/// Its build-id, lower-case hex; empty if it has none. Read once. Thread-safe.
const std::string& own_vdso_build_id();

}  // namespace op::collect
