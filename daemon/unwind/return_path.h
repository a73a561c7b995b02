// SPDX-License-Identifier: GPL-2.0-or-later
// The rule for x86-64 code without call frame information, from the instructions between a place and the
// return: what compilers put around every program and library (.init, .fini, crtbegin.o) has none. Knows the
// instructions of such code alone and gives up at any other one. Encodings: Intel SDM, volume 2, appendix A.
#pragma once

#include <cstddef>
#include <span>

#include "daemon/unwind/unwind_rule.h"

namespace op::collect {

/// The rule for the instruction at `at` in `code`; `no_info` if a way from there to a return is not seen, or
/// leads through other instructions.
UnwindRule rule_by_return_path(std::span<const std::byte> code, size_t at);

}  // namespace op::collect
