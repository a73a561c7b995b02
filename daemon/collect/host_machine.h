// SPDX-License-Identifier: GPL-2.0-or-later
// The machine whose stacks are walked: the one this is compiled for.
#pragma once

#include "daemon/unwind/unwind_rule.h"

namespace op::collect {

#if defined(__aarch64__)
inline constexpr const UnwindMachine& host_machine = unwind_aarch64;
#elif defined(__powerpc64__) && _CALL_ELF == 2
inline constexpr const UnwindMachine& host_machine = unwind_ppc64;
#else
inline constexpr const UnwindMachine& host_machine = unwind_x86_64;
#endif

}  // namespace op::collect
