// SPDX-License-Identifier: GPL-2.0-or-later
// Whether x86-64 code made at run time has a frame at one of its instructions, by the instructions that
// follow. Compilers of such code describe it nowhere, and a frame pointer at a function's first and last
// instructions is still, or again, the caller's.
#pragma once

#include <cstddef>
#include <span>

#include "daemon/unwind/unwind_rule.h"

namespace op::collect {

/// The rule for the instruction at `at` in `code` if the function has no frame there: control comes, without
/// a call, to where it makes one or to the return. `no_info` if it has one, or if that is not seen.
UnwindRule rule_without_frame(std::span<const std::byte> code, size_t at);

}  // namespace op::collect
