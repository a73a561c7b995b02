// SPDX-License-Identifier: GPL-2.0-or-later
// The machine code of calls: what lies before a return address.
#pragma once

#include <cstddef>
#include <span>

#include "daemon/unwind/unwind_rule.h"

namespace op::collect {

/// Bytes, of any machine.
inline constexpr size_t longest_call = 8;

/// True if the last of these bytes may be a call instruction: what looks like one may be part of another.
bool ends_with_call(std::span<const std::byte, longest_call> code, const UnwindMachine& machine) noexcept;

}  // namespace op::collect
